import { extensionsContract, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { Grammar } from "./grammar.js";
import { comparing, fieldsOf, kinds } from "./kinds.js";

describe.each(kinds)("the fields of %s", (kind) => {
  it("with a closed list have the values of the contract", () => {
    for (const { type, wire } of fieldsOf(kind)) {
      const values = type.is === "text" ? type.values?.map(([value]) => value) : undefined;
      const property = extensionsContract.components?.schemas?.EventLogEntry?.properties?.[wire] ?? {};
      if (values) expect([wire, new Set(values)]).toEqual([wire, new Set(Object.values(resolve(property).enum ?? {}))]);
    }
  });

  it("have unambiguous names, and none that is an option of a command with filters", () => {
    const names = fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
    const options = new Grammar(coreCommands).entries
      .filter(({ spec }) => spec.filters)
      .flatMap((entry) => [...entry.options, ...entry.arguments].flatMap(({ words }) => words));
    // Calls are from a program; other logs are listed from a time.
    expect(names.filter((name) => options.includes(name))).toEqual(kind === "api" ? ["from"] : []);
  });
});

const entry = (id: string, received: unknown, sent: unknown, timestamp: unknown = "2026-11-21T09:00:00Z") => ({
  connection_id: id,
  total_received_bytes: received,
  total_sent_bytes: sent,
  timestamp,
});
const inOrder = (entries: readonly ReturnType<typeof entry>[], field: string, first: "largest" | "smallest") =>
  [...entries]
    .sort(comparing("connections", { field, first }))
    .map(({ connection_id }) => connection_id)
    .join("");

describe("sorting", () => {
  const entries = [entry("a", 5, 1), entry("b", null, 9), entry("c", 1, 9), entry("d", 9, 1), entry("e", 0, 0)];

  it("compares sums, keeps equal ones in their order and puts entries without a value last", () => {
    expect(inOrder(entries, "bytes", "largest")).toBe("cdaeb");
    expect(inOrder(entries, "bytes", "smallest")).toBe("eacdb");
  });

  it("compares times, whatever their precision and offset", () => {
    const times = ["2026-11-21T09:00:00.5Z", "2026-11-21T11:00:00.25+02:00", "2026-11-21T09:00:01Z", "soon"];
    const timed = times.map((time, at) => entry("abcd".charAt(at), 0, 0, time));
    expect(inOrder(timed, "time", "largest")).toBe("cabd");
    expect(inOrder(timed, "time", "smallest")).toBe("bacd");
  });
});
