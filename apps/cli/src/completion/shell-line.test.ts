import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readShellLine, type ShellLine, writeShellWord } from "../completion.js";

/** Bash's default word breaks. */
const BREAKS = " \t\n\"'><=;|&(:";

describe("a line of bash", () => {
  it.each<[line: string, read: ShellLine]>([
    ["", { words: [""], kept: "", quote: "" }],
    ["media lo", { words: ["media", "lo"], kept: "", quote: "" }],
    ["media logs ", { words: ["media", "logs", ""], kept: "", quote: "" }],
    ["media token role:r", { words: ["media", "token", "role:r"], kept: "role:", quote: "" }],
    ["media x status\\>=4", { words: ["media", "x", "status>=4"], kept: "status>=", quote: "" }],
    ["media x status\\>", { words: ["media", "x", "status>"], kept: "", quote: "" }],
    ["media x 'status>=4", { words: ["media", "x", "status>=4"], kept: "", quote: "'" }],
    ['media x url~"a b', { words: ["media", "x", "url~a b"], kept: "url~", quote: '"' }],
    // Bash inserts the closing quote itself, and replaces it with the rest.
    ["media x 'status>='4", { words: ["media", "x", "status>=4"], kept: "", quote: "" }],
    ["media x url~'ho'o", { words: ["media", "x", "url~hoo"], kept: "", quote: "" }],
    ["media 'main hall' x", { words: ["media", "main hall", "x"], kept: "", quote: "" }],
    ['media "a\\"b\\c" ', { words: ["media", 'a"b\\c', ""], kept: "", quote: "" }],
    ["media main\\ hall", { words: ["media", "main hall"], kept: "", quote: "" }],
    ["media x\\", { words: ["media", "x"], kept: "", quote: "" }],
  ])("%j", (line, read) => {
    expect(readShellLine(line, BREAKS)).toEqual(read);
  });

  it.each(["status>=", "main hall", "it's", '"both"', "a$b`c\\d", "x&y;z|(w)", "[a]*?{b}!#", "ü-日本", "url~hooks"])(
    "%s is read by bash as it was written",
    (text) => {
      for (const quote of ["", "'", '"'] as const) {
        const script = `printf %s ${quote}${writeShellWord(text, quote)}${quote}`;
        expect(execFileSync("bash", ["-c", script], { encoding: "utf8" })).toBe(text);
      }
    },
  );
});
