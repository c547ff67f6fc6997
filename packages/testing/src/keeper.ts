import { startPostgres } from "./postgres.js";

// A process that outlives the tests to clean up: when its channel closes, because the tests ended, were interrupted or
// killed, it stops PostgreSQL and removes its folder.
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
