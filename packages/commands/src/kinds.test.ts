import { contract, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { grammarOf } from "./grammar.js";
import { fieldNamed, fieldsOf, kinds, type LogKind } from "./kinds.js";

const schemas: Readonly<Record<LogKind, string>> = {
  sessions: "SessionLogEntry",
  connections: "ConnectionLogEntry",
  api: "ApiLogEntry",
  "media-api": "MediaApiLogEntry",
  webhooks: "WebhookLogEntry",
};

const propertiesOf = (kind: LogKind) => contract.components?.schemas?.[schemas[kind]]?.properties ?? {};

/** The contract's type and format of a property, in one word. */
function typeOf(kind: LogKind, name: string): string {
  const property = resolve(propertiesOf(kind)[name] ?? {});
  return property.format === undefined ? String(property.type) : String(property.format);
}

describe.each(kinds)("the fields of %s", (kind) => {
  it("match the contract, each with its own name in the API", () => {
    const properties = Object.keys(propertiesOf(kind));
    expect(properties.length).toBeGreaterThan(3);
    for (const property of properties) expect(fieldNamed(kind, property)?.wire).toContain(property);
    expect(new Set(fieldsOf(kind).flatMap(({ wire }) => wire))).toEqual(new Set(properties));
  });

  it("have the type that the API returns", () => {
    for (const { type, wire } of fieldsOf(kind)) {
      const expected = type.is === "text" ? ["string"] : type.isTime ? ["date-time"] : ["integer", "int64"];
      for (const name of wire) expect(expected).toContain(typeOf(kind, name));
    }
  });

  it("have unambiguous names, and none that is an option of a command with filters", () => {
    const names = fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names).toEqual([...new Set(names)]);
    const options = grammarOf(coreCommands)
      .entries.filter(({ spec }) => spec.filters)
      .flatMap((entry) => [...entry.options, ...entry.arguments].flatMap(({ words }) => words));
    expect(names.filter((name) => options.includes(name))).toEqual([]);
  });
});
