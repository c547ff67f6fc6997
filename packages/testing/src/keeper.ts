import { startPostgres } from "./postgres.js";

// A process that outlives the tests just long enough to clean up: when the channel to it closes, because the tests ended,
// were interrupted or killed, PostgreSQL ends and its folder is removed.
const gone = new Promise<void>((resolve) => process.once("disconnect", resolve));

try {
  const postgres = await startPostgres();
  try {
    process.send?.({ url: postgres.url, folder: postgres.folder });
    if (process.connected) await gone;
  } finally {
    await postgres.stop();
  }
} catch (error) {
  if (process.connected) process.send?.({ problem: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
  if (process.connected) process.disconnect();
}
