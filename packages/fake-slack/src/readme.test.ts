import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { botMethods, openMethods } from "./web-api/api.js";

it("the README lists all methods with their scopes", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| `([a-z0-9]+(?:\.\w+)+)` +\| (.+?) +\|$/gm)].map(([, name = "", needs = ""]) => [
    name,
    [...needs.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope),
  ]);
  const known = [
    ...Object.keys(openMethods).map((name) => [name, []]),
    ...Object.entries(botMethods).map(([name, { scopes }]) => [name, scopes]),
  ];
  expect(rows).toEqual(known.sort());
});
