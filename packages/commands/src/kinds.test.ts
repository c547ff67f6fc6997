import type { LogKind } from "@media-ops/contract";
import { contract, extensionsContract, referenceOf, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { Grammar } from "./grammar.js";
import { fieldNamed, fieldsOf, kinds } from "./kinds.js";

const schemas: Readonly<Record<LogKind, string>> = {
  sessions: "SessionLogWhere",
  connections: "ConnectionLogWhere",
  api: "ApiLogWhere",
  "media-api": "MediaApiLogWhere",
  webhooks: "WebhookLogWhere",
  events: "EventLogWhere",
};

const tests = { text: "TextTest", number: "NumberTest", time: "TimeTest" } as const;

const conditionsOf = (kind: LogKind) =>
  [contract, extensionsContract]
    .map(({ components }) => components?.schemas?.[schemas[kind]]?.properties)
    .find(Boolean) ?? {};

describe.each(kinds)("the fields of %s", (kind) => {
  it("are those of the contract's conditions, each with its own name in the API", () => {
    // A channel's id is also compared by its name, and a status by whether it is a failure.
    const properties = Object.keys(conditionsOf(kind)).filter((name) => name !== "channel" && name !== "failed");
    expect(properties.length).toBeGreaterThan(3);
    for (const property of properties) expect(fieldNamed(kind, property)?.wire).toBe(property);
    expect(new Set(fieldsOf(kind).map(({ wire }) => wire))).toEqual(new Set(properties));
  });

  it("are tested as the contract allows", () => {
    for (const { holds, wire } of fieldsOf(kind)) {
      expect(referenceOf(conditionsOf(kind)[wire] ?? {})).toMatch(new RegExp(`/${tests[holds]}$`));
    }
  });

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
