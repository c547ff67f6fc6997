import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { root } from "./document.js";

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Paths in a text, in order of appearance. Excludes shortened ones such as `src/x.ts`. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:apps|packages|openapi|docs|\.ci)\/[\w./-]+)`/g)].map(([, path = ""]) => path);

describe("docs/architecture.md", () => {
  const page = read("docs/architecture.md");
  let executed: Record<string, readonly string[]>;

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "flows.mjs")]);
    executed = JSON.parse(stdout);
  });

  // A flow that executes more files than this is split too finely.
  it.each([
    ["event", "An event becomes a row", 20],
    ["listing", "A listing becomes bytes", 17],
    ["search", "A search becomes a page", 26],
    ["count", "A count becomes numbers", 29],
    ["token", "A token", 20],
    ["command", "A slash command becomes a message", 40],
  ])("lists the files that the flow of a %s executes, within the limit", (flow, heading, most) => {
    const [section = ""] = page.split(/^## /m).filter((text) => text.startsWith(`${heading}\n`));
    const listed = pathsIn(section);
    expect(listed.toSorted()).toEqual(executed[flow]?.toSorted());
    expect(listed.length).toBeLessThanOrEqual(most);
  });
});

it.each(["docs/architecture.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"])(
  "every path that %s names exists",
  (path) => {
    expect(pathsIn(read(path)).filter((named) => !existsSync(join(root, named)))).toEqual([]);
  },
);
