import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { postgresUrl } from "@media-ops/testing";
import { expect, it, onTestFinished } from "vitest";
import { fullStore, openThings, thingStatements, thingTables } from "../test/things.js";

/** A program that migrates a store, and prints each step. */
const program = (from: string, to: string): string => `
  import { migrateStore } from ${JSON.stringify(import.meta.resolve("@media-ops/database"))};
  import { sql } from ${JSON.stringify(import.meta.resolve("kysely"))};
  const migrationsOf = (texts) => Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { up: async (db) => { await sql.raw(text).execute(db); } }]),
  );
  const { sqlite, postgres } = ${JSON.stringify(thingStatements)};
  const result = await migrateStore({
    owner: "things",
    migrations: { sqlite: migrationsOf(sqlite), postgres: migrationsOf(postgres) },
    from: ${JSON.stringify(from)},
    to: ${JSON.stringify(to)},
    tables: ${JSON.stringify(thingTables)},
    onStep: ({ work, rows, before }) => { if (work === "copy" && rows > before) console.log("step"); },
  });
  console.log(JSON.stringify(result.tables));
`;

it("a store whose migration is killed repeatedly is complete at the end, with each row once", async () => {
  const rows = 8000;
  const from = await fullStore({ rows, bytes: 100 });
  const to = await postgresUrl();
  // The number of steps before each kill, and the delay in ms: within a transaction, between two, at the beginning.
  const ends = [
    [1, 0],
    [2, 3],
    [3, 7],
    [1, 1],
  ] as const;
  let last = "";
  for (const [steps, ms] of [...ends, [Number.POSITIVE_INFINITY, 0]] as const) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(from, to)]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const complaint = text(child.stderr);
    const ended = once(child, "exit");
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      last = line;
      if (line === "step" && ++seen === steps) setTimeout(() => child.kill("SIGKILL"), ms);
    }
    expect(await ended).toEqual(Number.isFinite(steps) ? [null, "SIGKILL"] : [0, null]);
    expect(await complaint).toBe("");
  }
  expect(JSON.parse(last)).toContainEqual({ name: "thing", rows, copiedRows: rows, isSame: true });
  const target = await openThings(to);
  expect(
    await target.query
      .selectFrom("thing")
      .select(({ fn }) => fn.countAll().as("n"))
      .execute(),
  ).toEqual([{ n: rows }]);
});
