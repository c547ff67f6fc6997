import { columnsOf, fieldOf } from "@media-ops/reports/entries";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyKindAndEntries, anyText } from "../test/arbitrary.js";
import { audit, deliveries, endpoints, issued, samples } from "../test/samples.js";
import * as csv from "./index.js";
import { guardFormula } from "./table.js";

describe("entries as CSV", () => {
  it("have a column for the number of calls of an entry, if one entry has it", () => {
    const entries = [{ ...samples.api[0], count: 12 }, samples.api[1]];
    expect(
      csv
        .formatLogs("api", entries)
        .split("\r\n")
        .map((line) => line.split(",").slice(3).join()),
    ).toEqual([
      "url,count",
      "https://media.example/orgs/list-webhook-logs,12",
      "https://media.example/projects/create-access-token,",
      "",
    ]);
    expect(csv.formatLogs("api", samples.api)).not.toContain("count");
  });

  it("are quoted if necessary", () => {
    const entry = { timestamp: 'say "hi"', status: "a,b", elapsed_time_ms: "a\nb", type: "a\rb", url: " a;b " };
    expect(csv.formatLogs("webhooks", [entry])).toContain('\r\n"say ""hi""","a,b","a\nb","a\rb", a;b \r\n');
  });

  it.each([
    [undefined, ""],
    [null, ""],
    ["", ""],
    [0, "0"],
    [-1, "-1"],
    [1e300, "1e+300"],
    [false, "false"],
    [{ a: "b,c" }, '"{""a"":""b,c""}"'],
    [["="], '"[""=""]"'],
    ["-1", "'-1"],
    ["=1,2", '"\'=1,2"'],
    ["a;=1", "a;'=1"],
    ["a\n+1", '"a\n\'+1"'],
    [{ a: ";=1" }, '"{""a"":"";\'=1""}"'],
  ])("write %j as %s", (value, cell) => {
    expect(csv.formatLogs("api", [{ url: value }])).toBe(`timestamp,status,elapsed_time_ms,url\r\n,,,${cell}\r\n`);
  });

  it("can be written in parts, which together have every field", () => {
    const parts = samples.api.map((entry) => csv.formatRows("api", [{ ...entry, count: 12 }]));
    expect(csv.formatHeader("api") + parts.join("")).toBe(
      csv.formatLogs(
        "api",
        samples.api.map((entry) => ({ ...entry, count: 12 })),
      ),
    );
    expect(csv.formatHeader("api", { bom: true }) + csv.formatRows("api", samples.api.slice(1))).toBe(
      "\ufefftimestamp,status,elapsed_time_ms,url,count\r\n" +
        "2026-11-21T14:01:44Z,400,1,https://media.example/projects/create-access-token,\r\n",
    );
  });

  it("can be read back unchanged, for any entries", () => {
    fc.assert(
      fc.property(anyKindAndEntries, fc.boolean(), ([kind, entries], bom) => {
        const fields = columnsOf(kind).map(({ field }) => field);
        const [heading, ...rows] = parse(csv.formatLogs(kind, entries, { bom }), { bom, record_delimiter: "\r\n" });
        expect(heading).toEqual(fields);
        expect(rows).toHaveLength(entries.length);
        for (const [at, row] of rows.slice(0, 12).entries()) {
          expect(row).toHaveLength(fields.length);
          for (const [index, field] of fields.entries()) {
            expectBack(row[index] ?? "", fieldOf(entries[at], field));
          }
        }
      }),
    );
  });
});

/** Expects that a program reads the original value from a cell. */
function expectBack(cell: string, value: unknown): void {
  if (value === undefined || value === null) expect(cell).toBe("");
  else if (typeof value === "string") expect(csv.undoFormulaGuard(cell)).toBe(inUtf8(value));
  // JSON does not distinguish 0 from -0.
  else expect(JSON.parse(csv.undoFormulaGuard(cell))).toEqual(JSON.parse(JSON.stringify(value)));
}

/** UTF-8 cannot represent half a surrogate pair. */
const inUtf8 = (text: string): string => Buffer.from(text).toString();

/** Texts that may or may not start like a formula. */
const anyBeginning = fc
  .tuple(fc.string({ unit: fc.constantFrom(..."= +-@';\t\r\n＝＋－＠\u00a0a1"), maxLength: 8 }), anyText)
  .map((parts) => parts.join(""));

describe("a text that a spreadsheet would run as a formula", () => {
  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t",
    "\rb",
    "＝1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    " =1",
    "\u00a0=1",
    "'=1",
    "''=1",
    " ' =1",
    "-",
    "=cmd|' /C calc'!A0",
  ])("%j gets an apostrophe before it", (text) => {
    expect(guardFormula(text)).toBe(`'${text}`);
    expect(csv.undoFormulaGuard(`'${text}`)).toBe(text);
  });

  it.each(["", "a=1", "1-1", "'", "''", "'a", " a", "connection.created", "https://a.example/?a=1", "会議室", '"=1"'])(
    "does not include %j, which is unchanged",
    (text) => {
      expect(guardFormula(text)).toBe(text);
      expect(csv.undoFormulaGuard(text)).toBe(text);
    },
  );

  it.each([
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["\n=1", "'\n'=1"],
    ["a;=1", "a;'=1"],
    ["a; =1;+2", "a;' =1;'+2"],
    ["a\n- b", "a\n'- b"],
    ["a\r\n=1", "a\r\n'=1"],
    ["a\t@b", "a\t'@b"],
    ["=1;＝2", "'=1;'＝2"],
    ["a;b", "a;b"],
    ["a; b=1", "a; b=1"],
    ["a;'b", "a;'b"],
  ])("%j is also guarded if a semicolon, a tab or a line end ends the cell: %j", (text, guarded) => {
    expect(guardFormula(text)).toBe(guarded);
    expect(csv.undoFormulaGuard(guarded)).toBe(text);
  });

  it.each([";", "\t", "\n", "; '", "' "])("is found in linear time among many repetitions of %j", (text) => {
    expect(csv.undoFormulaGuard(guardFormula(text.repeat(200_000)))).toBe(text.repeat(200_000));
  });

  it("is restored when the guard is undone, for any text, and guarded text never runs as a formula", () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyBeginning), (text) => {
        expect(csv.undoFormulaGuard(guardFormula(text))).toBe(text);
        expect(guardFormula(text)).not.toMatch(/^\s*[=+\-@＝＋－＠]|[;\t\r\n][^\S\r\n\t]*[=+\-@＝＋－＠]/);
      }),
    );
  });
});

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, record_delimiter: "\r\n" });

describe("a trace as CSV", () => {
  it("has only a header without lines, and a byte order mark if it is wanted", () => {
    expect(csv.formatTrace({ lines: [] })).toMatch(
      /^kind,timestamp,type,outcome,reason,words,channel_id,[a-z_,]+\r\n$/,
    );
    expect(csv.formatTrace({ lines: [] }, { bom: true })).toMatch(/^\ufeffkind,/);
  });
});

/** The fields with a value. */
const givenIn = (row: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ""));

/** Values as CSV has them. */
const asText = (thing: object = {}) =>
  Object.fromEntries(
    Object.entries(thing).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );

describe("lists as CSV", () => {
  it("have every field of the contract, unchanged", () => {
    expect(rowsOf(csv.formatTokens(issued)).map(givenIn)).toEqual(issued.map(asText));
    expect(rowsOf(csv.formatEndpoints(endpoints)).map(givenIn)).toEqual(endpoints.map(asText));
    expect(givenIn(rowsOf(csv.formatDeliveries(deliveries))[1])).toEqual({
      ...asText(deliveries[1]),
      attempt_count: "4",
      last_status: "503",
    });
  });

  it("have the action of an audit entry in words, too", () => {
    const rows = rowsOf(csv.formatAudit(audit));
    expect(givenIn(rows[0])).toEqual({ ...asText(audit[0]), words: "revoked a token" });
    expect(rows[5]).toMatchObject({ action: "token.polish", words: "token.polish" });
  });

  it("can start with a byte order mark", () => {
    for (const print of [csv.formatTokens, csv.formatDeliveries, csv.formatEndpoints, csv.formatAudit]) {
      expect(print([], { bom: true })).toMatch(/^\ufeff[a-z_,]+\r\n$/);
    }
  });
});
