import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readShellLine, type ShellLine, writeShellWord } from "./completion.js";
import { newUser } from "./test/user.js";

async function candidates(...words: string[]): Promise<string[]> {
  const { out } = await (await newUser()).media(["__complete", "--", ...words]);
  return out.split("\n").map((line) => line.split("\t")[0] ?? "");
}

describe("completion", () => {
  it.each([
    [["lo"], "logs"],
    [["logs", "we"], "webhooks"],
    [["logs", "webhooks", "sta"], "status:"],
    [["logs", "webhooks", "sin"], "since:"],
    [["token", "role:r"], "role:recvonly"],
    [["completion", ""], "fish"],
    [["logs", "webhooks", "--j"], "--json"],
    [["logs", "ev"], "events"],
    [["logs", "events", "fa"], "failed"],
    [["logs", "events", "reason:ice"], "reason:ice-timeout"],
    [["trace", "cl"], "client:"],
    [["trace", "lobby", "si"], "since:"],
    [["why", "lobby", "si"], "since:"],
    [["live", "--w"], "--watch"],
    [["tokens", "rev"], "revoke"],
    [["token", "ch"], "check"],
    [["tokens", "revoke", "--y"], "--yes"],
    [["disconnect", "--y"], "--yes"],
    [["endpoints", "enable", ""], "event"],
    [["deliveries", "fa"], "failed"],
    [["audit", "action:tok"], "action:token.revoke"],
    [["--json", "--profile", "staging", "logs", "we"], "webhooks"],
    [["--utc", "comp"], "completion"],
  ])("after %j offers %s", async (words, candidate) => {
    expect(await candidates(...words)).toContain(candidate);
  });

  it("offers --watch after live alone, and --yes after commands that ask", async () => {
    expect(await candidates("logs", "webhooks", "--")).not.toContain("--watch");
    expect(await candidates("tokens", "--")).not.toContain("--yes");
  });

  it("lists the profiles without their secrets", async () => {
    const { home, media } = await newUser();
    const profiles = {
      staging: { baseUrl: "http://staging.example", apiKey: "mo_a_secret" },
      production: { baseUrl: "http://me:secret@production.example", apiKey: "mo_b_secret" },
    };
    await mkdir(join(home, ".config/media-ops"), { recursive: true });
    await writeFile(join(home, ".config/media-ops/profiles.json"), JSON.stringify({ profiles }));
    const both = "staging\thttp://staging.example\nproduction\thttp://production.example\n";
    expect((await media(["__complete", "--", "use", ""])).out).toBe(both);
    expect((await media(["__complete", "--", "logs", "--profile", ""])).out).toBe(both);
    expect((await media(["__complete", "--", "--profile=s"])).out).toBe("--profile=staging\thttp://staging.example\n");
    expect((await media(["__complete", "--", "use", "x"])).out).toBe("");
  });

  it("offers nothing, and prints no error, if the profiles can't be read", async () => {
    const { home, media } = await newUser();
    await mkdir(join(home, ".config/media-ops/profiles.json"), { recursive: true });
    expect(await media(["__complete", "--", "use", ""])).toEqual({ code: 0, out: "", err: "" });
  });

  it.each(["bash", "zsh", "fish"])("prints what %s needs", async (shell) => {
    const { out, code } = await (await newUser()).media(["completion", shell]);
    expect(out).toContain(`for ${shell}`);
    expect(code).toBe(0);
  });
});

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
