import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { rightCommands } from "./test/right-commands.js";
import { when } from "./test/when.js";
import { forShell } from "./words.js";

const language = defineLanguage(coreCommands);

/** The words as a shell passes them. */
function handedOver(typed: string): string[] {
  return execFileSync("sh", ["-c", `printf '%s\\0' ${typed}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
}

describe("a command for the shell", () => {
  it("is quoted only if a shell would change it", () => {
    expect(forShell("logs webhooks status>=400 since:2h")).toBe("logs webhooks 'status>=400' since:2h");
    expect(forShell('token "main hall"')).toBe('token "main hall"');
    expect(forShell("token channel:Ann's")).toBe("token 'channel:Ann'\\''s'");
  });

  it("means the same after a real shell has split it", () => {
    const texts = [
      ...rightCommands.map(([typed]) => typed),
      "webhooks url~$HOME;`id`",
      'token channel:"$(id) !! \\ #"',
    ];
    const given = texts.filter((text) => text !== "");
    const words = handedOver(given.map((text) => `${forShell(text)} '--end--'`).join(" "));
    const commands = words
      .join("\n")
      .split("\n--end--\n")
      .map((lines) => lines.replace(/\n--end--$/, "").split("\n"));
    expect(commands.map((argv) => language.parse(argv, when))).toEqual(given.map((text) => language.parse(text, when)));
  });
});
