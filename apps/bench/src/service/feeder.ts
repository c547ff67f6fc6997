import { createLog, readConfig, startService } from "@media-ops/service";
import type { NewEntry } from "./entries.js";
import { settingsOf } from "./settings.js";

const BATCH = 2000;
// The next batch is made while the last one is written.
const BATCHES_UNDER_WAY = 2;
const PROGRESS_MS = 1000;

/** Writes log entries as the service writes them: it is a second one on the same database. */
export interface Feeder {
  append(entries: readonly NewEntry[]): Promise<void>;
  close(): Promise<void>;
}

/** @param at The time at which it is opened; the clock goes on from there. */
export async function openFeeder(databaseUrl: string, at = Date.now()): Promise<Feeder> {
  const config = readConfig({ ...settingsOf(databaseUrl), MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" });
  const log = createLog({ level: "warn", to: { write: (line) => void process.stderr.write(line) } });
  const behind = Date.now() - at;
  const { store, stop } = await startService({ config, log, now: () => Date.now() - behind });
  return { append: (entries) => store.append(entries), close: stop };
}

/** Puts entries into a database, and shows on standard error how far it is. */
export async function fill(databaseUrl: string, count: number, entries: Iterable<NewEntry>): Promise<void> {
  const feeder = await openFeeder(databaseUrl);
  const underWay: Promise<void>[] = [];
  const started = Date.now();
  let shownAt = started;
  let written = 0;
  for (const batch of inBatches(entries)) {
    underWay.push(feeder.append(batch));
    if (underWay.length >= BATCHES_UNDER_WAY) await underWay.shift();
    written += batch.length;
    if (Date.now() - shownAt < PROGRESS_MS) continue;
    shownAt = Date.now();
    show(`storing entries: ${written} of ${count}, ${Math.round((written / (shownAt - started)) * 1000)} a second`);
  }
  await Promise.all(underWay);
  await feeder.close();
  show(`storing entries: ${written}, done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function* inBatches(entries: Iterable<NewEntry>): Generator<NewEntry[]> {
  let batch: NewEntry[] = [];
  for (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Tells whoever waits what goes on. */
export function show(text: string): void {
  process.stderr.write(`${text}\n`);
}
