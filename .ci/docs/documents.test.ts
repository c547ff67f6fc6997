import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./document.js";

const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

const tests = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

// Its blocks are run or compiled by a test of its own, and one that nothing takes fails there.
it.each(documents)("%s is tried by a test", (path) => {
  expect(tests.filter((text) => text.includes(`\ntakeDocument("${path}", `))).toHaveLength(1);
});
