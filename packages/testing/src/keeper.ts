import { startPostgres } from "./postgres/start.js";

// A process of its own that outlives whoever has started it, just long enough to leave nothing behind: when the channel
// to it closes, be it because the tests are over, were interrupted or were killed, PostgreSQL ends and its folder goes.
const gone = new Promise<void>((resolve) => process.once("disconnect", resolve));

try {
  const postgres = await startPostgres(JSON.parse(process.argv[2] ?? "{}"));
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
