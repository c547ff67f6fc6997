import assert from "node:assert/strict";
import { open } from "node:fs/promises";
import { Sqlite } from "@media-ops/database/load-sqlite";
import type { Database } from "better-sqlite3";
import { openFeeder, show } from "../service/feeder.js";
import { CYCLE, type MadeEntries } from "./made-entries.js";

const PIECE = 500_000;

/**
 * Puts entries into an SQLite file as the service would have written them, one after another in the order of their time
 * into the same tree, but within SQLite. Nothing is written twice meanwhile, and nobody waits for the disk; the file is
 * then brought to where the service would have left it.
 */
export async function fillSqlite(url: string, entries: MadeEntries): Promise<void> {
  // The service makes its tables.
  await (await openFeeder(url)).close();
  const file = url.replace(/^sqlite:/, "");
  const started = Date.now();
  const database = new Sqlite(file);
  try {
    database.pragma("journal_mode = off");
    database.pragma("synchronous = off");
    database.pragma("cache_size = -64000");
    keepTemplates(database, entries);
    insertAll(database, entries);
    database.pragma("journal_mode = wal");
    const stored = database.prepare("select count(*) from log_entry").pluck().get();
    assert.equal(stored, entries.count, "as many entries are stored as were made");
  } finally {
    database.close();
  }
  await settle(file);
  show(`storing entries: ${entries.count}, done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

function keepTemplates(database: Database, { templates }: MadeEntries): void {
  database.exec(`create temp table template (
    n integer primary key, project_id text, kind integer, rest text, rank integer, "of" integer
  )`);
  database
    .prepare(
      `insert into template select key, value ->> 'projectId', value ->> 'kind', value ->> 'rest', value ->> 'rank', value ->> 'of'
      from json_each(?)`,
    )
    .run(JSON.stringify(templates));
}

function insertAll(database: Database, { count, clock: { fromUs, stepUs } }: MadeEntries): void {
  // The texts of the seconds are made where the numbers are, so that none is made twice.
  const second = (us: string): string => `strftime('%Y-%m-%dT%H:%M:%S.', (${us}) / 1000000, 'unixepoch')`;
  const insert = database.prepare(`
    with recursive number (n, us, second) as (
      select n, us, ${second("us")} from (select @first as n, ${fromUs} + @first * ${stepUs} as us)
      union all select n + 1, us + ${stepUs}, ${second(`us + ${stepUs}`)} from number where n + 1 < @end
    )
    insert into log_entry (project_id, kind, at, seq, entry)
    select project_id, kind, rtrim(rtrim(at, '0'), '.'), seq, '{"timestamp":"' || at || 'Z' || rest
    from (
      select project_id, kind, number.n / ${CYCLE} * "of" + rank as seq, rest,
        second || substr(1000000 + us % 1000000, 2, iif(number.n % 2 = 0, 6, 3)) as at
      from number cross join template on template.n = number.n % ${CYCLE}
    )`);
  for (let first = 0; first < count; first += PIECE) {
    const end = Math.min(first + PIECE, count);
    // As whole numbers, which a number of JavaScript's is not to SQLite.
    insert.run({ first: BigInt(first), end: BigInt(end) });
    if (end % (PIECE * 4) === 0) show(`storing entries: ${end} of ${count}`);
  }
  database.exec(`
    insert into log_head (project_id, kind, seq)
    select project_id, kind, count(*) * ${count / CYCLE} from template group by project_id, kind`);
}

/** Does now what would otherwise be done in the background while we measure. */
async function settle(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync();
  await handle.close();
}
