import type { Database } from "@media-ops/database";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { newUrl, refusal } from "../test/notes.js";
import { fill, openThings, type Things, thingTables } from "../test/things.js";
import { type CopyStep, copyDatabase } from "./copy-database.js";

interface Asked {
  source?: string;
  onStep?(step: CopyStep): void;
}

const copy = (from: Database<Things>, to: Database<Things>, { source = "the first", onStep = () => {} }: Asked = {}) =>
  copyDatabase({ from, to, owner: "things", source, tables: thingTables, onStep });

const thingsOf = ({ query }: Database<Things>) =>
  query.selectFrom("thing").selectAll().orderBy("place").orderBy("at").orderBy("seq").execute();

const allSame = (things: number) =>
  [
    ["tally", 1],
    ["place", 5],
    ["thing", things],
    ["letter", 2],
  ].map(([name, rows]) => ({ name, rows, copiedRows: rows, isSame: true }));

const open = async () =>
  [await openThings(await newUrl("an SQLite file")), await openThings(await newUrl("PostgreSQL"))] as const;

describe("a copy from an SQLite file to PostgreSQL", () => {
  it("copies and reports every row of every table, copies nothing twice, and continues the row numbers", async () => {
    const [from, to] = await open();
    await fill(from);
    const steps: CopyStep[] = [];
    const onStep = (step: CopyStep): void => void steps.push(step);
    expect(await copy(from, to, { onStep })).toEqual({ tables: allSame(600), wasThere: false });
    expect(await thingsOf(to)).toEqual(await thingsOf(from));
    expect(await to.query.selectFrom("tally").selectAll().execute()).toEqual([{ name: "place", value: 5 }]);
    for (const work of ["copy", "check"]) {
      const rows = steps.filter((step) => step.work === work && step.table === "thing").map((step) => step.rows);
      expect(rows).toEqual([...rows].sort((a, b) => a - b));
      expect(rows.length).toBeGreaterThan(3);
      expect(steps).toContainEqual({ work, table: "thing", total: 600, before: 0, rows: 600, isDone: true });
    }

    steps.length = 0;
    expect(await copy(from, to, { onStep })).toEqual({ tables: allSame(600), wasThere: true });
    expect(steps.filter(({ work }) => work === "copy")).toEqual([]);

    await to.query.insertInto("letter").values({ text: "next" }).execute();
    expect(await to.query.selectFrom("letter").selectAll().orderBy("id").execute()).toEqual([
      { id: 1, text: "one" },
      { id: 3, text: "three" },
      { id: 4, text: "next" },
    ]);
  });

  it("resumes after each interruption", async () => {
    const [from, to] = await open();
    await fill(from, { rows: 3000 });
    const begun: number[] = [];
    let times = 0;
    let result: unknown;
    while (result === undefined) {
      let steps = 0;
      const onStep = ({ work, table, before }: CopyStep): void => {
        if (work === "copy" && table === "thing" && steps++ === 0) begun.push(before);
        if (work === "copy" && steps === 3) throw new Error("The power failed.");
      };
      result = await copy(from, to, { onStep }).catch((error) => {
        expect(error.message).toBe("The power failed.");
      });
      expect(times++).toBeLessThan(20);
    }
    expect(result).toEqual({ tables: allSame(3000), wasThere: false });
    expect(begun.length).toBeGreaterThan(1);
    expect([...begun].sort((a, b) => a - b)).toEqual(begun);
    expect(new Set(begun).size).toBe(begun.length);
  });

  it("refuses a target that holds other data, and leaves it unchanged", async () => {
    const [from, to] = await open();
    await fill(from);
    await to.query.insertInto("place").values({ name: "here before" }).execute();
    await expect(copy(from, to)).rejects.toMatchObject(
      refusal("copy", /not empty: there are rows in place\. Copy into a new, empty database\./),
    );
    expect(await to.query.selectFrom("place").selectAll().execute()).toEqual([{ name: "here before" }]);
    expect(await to.query.selectFrom("tally").selectAll().execute()).toEqual([{ name: "place", value: 0 }]);
    expect(await thingsOf(to)).toEqual([]);
  });

  it("finds each difference, and names its table", async () => {
    const [from, to] = await open();
    await fill(from);
    await copy(from, to);
    const differences = [
      [sql`update thing set text = 'x' where seq = 77`, 600],
      [sql`update thing set more = '' where seq = 0`, 600],
      [sql`update thing set bytes = null where seq = 5`, 600],
      [sql`delete from thing where seq = 599`, 599],
      [sql`insert into thing (place, at, seq, text) values ('a', 'x', 1, 'x')`, 601],
    ] as const;
    for (const [change, copiedRows] of differences) {
      const expected = allSame(600).map((table) =>
        table.name === "thing" ? { ...table, copiedRows, isSame: false } : table,
      );
      const rollBack = new Error("rolled back");
      const changed = to.query.transaction().execute(async (query) => {
        await change.execute(query);
        expect((await copy(from, { ...to, query })).tables).toEqual(expected);
        throw rollBack;
      });
      await expect(changed).rejects.toBe(rollBack);
    }
  });
});

it("replaces NUL with its symbol in PostgreSQL, and treats both as equal", async () => {
  const [from, to] = await open();
  await from.query.insertInto("letter").values({ text: "a\0b" }).execute();
  const { tables } = await copy(from, to);
  expect(tables.every(({ isSame }) => isSame)).toBe(true);
  expect(await to.query.selectFrom("letter").select("text").execute()).toEqual([{ text: "a\u2400b" }]);
});

it("locks the SQLite file against writes", async () => {
  const url = await newUrl("an SQLite file");
  const [from, other, to] = [
    await openThings(url),
    await openThings(url),
    await openThings(await newUrl("PostgreSQL")),
  ];
  await fill(from);
  let isWritten = false;
  const seen: boolean[] = [];
  let writing: Promise<unknown> | undefined;
  const onStep = ({ work, table }: CopyStep): void => {
    seen.push(isWritten);
    if (work !== "copy" || table !== "thing") return;
    const write = other.query.insertInto("letter").values({ text: "late" });
    writing ??= write.execute().then(() => {
      isWritten = true;
    });
  };
  const { tables } = await copy(from, to, { onStep });
  await writing;
  expect([isWritten, seen.includes(true)]).toEqual([true, false]);
  expect(tables.every(({ isSame }) => isSame)).toBe(true);
});
