import { extensionsContract, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { Grammar } from "./grammar.js";
import { fieldsOf, kinds } from "./kinds.js";

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
