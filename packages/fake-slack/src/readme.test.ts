import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { methods } from "./web-api/methods.js";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const rows = [...readme.matchAll(/^\| `([a-z0-9]+(?:\.\w+)+)` +\| (.+?) +\|$/gm)].map(([, name = "", needs = ""]) => ({
  name,
  scopes: [...needs.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope),
}));

describe("the README", () => {
  it("names all methods, and no others", () => {
    expect(rows.map(({ name }) => name)).toEqual([...methods.keys()].sort());
  });

  it.each(rows)("says which scopes $name needs", ({ name, scopes }) => {
    const method = methods.get(name);
    expect(method?.by === "bot" ? method.scopes : []).toEqual(scopes);
  });
});
