import { readFileSync } from "node:fs";
import { type LogKind, logPaths } from "@media-ops/contract";
import { extensionOperations, operations, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import { columnsOf, KINDS as kinds, rowOf, TIME_FIELD } from "./index.js";

/** The properties of an entry of a kind in the contract. */
function propertiesOf(kind: LogKind): string[] {
  const found = [...operations, ...extensionOperations].find(({ path }) => path === logPaths[kind]);
  const answer = resolve(found?.operation.responses?.["200"] ?? {});
  const items = answer.content?.["application/json"]?.schema?.items ?? {};
  return Object.keys(resolve(items).properties ?? {});
}

describe("the table of columns", () => {
  it.each(kinds)("has every field of %s, and no other", (kind) => {
    const fields = propertiesOf(kind);
    expect(fields.length).toBeGreaterThan(3);
    const { columns, optionalColumns } = rowOf(kind);
    expect([...columns, ...optionalColumns].map(({ field }) => field).sort()).toEqual(fields.sort());
  });

  it.each(kinds)("starts with the time of %s, and has unique titles", (kind) => {
    expect(columnsOf(kind)[0]).toEqual({ field: TIME_FIELD, title: "Time", as: "time", in: "table" });
    const titles = columnsOf(kind).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("has the kinds that the README lists", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, sentence = ""] = /^`kind` is one of (.*?), as in the SDK/ms.exec(readme) ?? [];
    expect([...sentence.matchAll(/`(.+?)`/g)].map(([, kind]) => kind)).toEqual(kinds);
  });

  it("lists the valid kinds if the kind is unknown", () => {
    const ask = (kind: string) => () => columnsOf(kind as LogKind);
    expect(ask("calls")).toThrow(`"calls" is not a kind of log. Kinds are ${kinds.join(", ")}.`);
    expect(ask("constructor")).toThrow(TypeError);
  });
});
