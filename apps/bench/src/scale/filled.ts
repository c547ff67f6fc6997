import type { BenchDatabase } from "../databases/database.js";
import { makeEntry, type NewEntry } from "../service/entries.js";
import { openFeeder } from "../service/feeder.js";
import { createIntakeKey, createProject } from "../service/service-process.js";

// A listing has 1000, and what is taken in later pushes none of them out before all were there.
const ENTRIES_EACH = 1000;
const BATCH = 2000;
const HOUR_MS = 60 * 60 * 1000;

/** A database with some projects, each with a full listing. */
export interface Filled {
  readonly database: BenchDatabase;
  readonly projects: readonly { readonly projectId: string; readonly apiKey: string }[];
  readonly intakeKey: string;
  readonly entries: number;
  /** The bytes of an entry: as JSON, and what the database has grown by. */
  readonly bytesPerEntry: { readonly json: number; readonly disk: number };
}

export async function fillProjects(database: BenchDatabase, count: number): Promise<Filled> {
  const { url } = database;
  const intakeKey = await createIntakeKey(url);
  const projects = [];
  for (let at = 0; at < count; at++) {
    const projectId = `bench-${at}`;
    projects.push({ projectId, apiKey: await createProject(url, projectId) });
  }
  // The first makes the days.
  await (await openFeeder(url)).close();
  const empty = await database.bytes();
  const feeder = await openFeeder(url);
  const entries = count * ENTRIES_EACH;
  const from = Date.now() - HOUR_MS;
  let json = 0;
  let batch: NewEntry[] = [];
  for (let at = 0; at < entries; at++) {
    const entry = makeEntry(`bench-${at % count}`, "connections", from + (at * HOUR_MS) / entries / 2);
    json += Buffer.byteLength(entry.text);
    batch.push(entry);
    if (batch.length < BATCH && at < entries - 1) continue;
    await feeder.append(batch);
    batch = [];
  }
  await feeder.close();
  const bytesPerEntry = { json: json / entries, disk: ((await database.bytes()) - empty) / entries };
  return { database, projects, intakeKey, entries, bytesPerEntry };
}
