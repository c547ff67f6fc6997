import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { newUser } from "./test/media.js";
import { temporaryFolder } from "./test/service.js";

const main = join(import.meta.dirname, "../dist/main.js");

async function candidates(...words: string[]): Promise<string[]> {
  const { out } = await (await newUser()).media(["__complete", "--", ...words]);
  return out.split("\n").map((line) => line.split("\t")[0] ?? "");
}

/** What bash offers when the line is typed and the key pressed. */
async function inBash(line: string): Promise<string[]> {
  const folder = await temporaryFolder();
  const command = join(folder, "media");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(command, 0o755);
  const script = `
    eval "$(media completion bash)"
    COMP_LINE="$1" COMP_POINT=\${#1} COMP_WORDS=(media) COMP_CWORD=1
    _media
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
  const { stdout } = await promisify(execFile)("bash", ["-c", script, "bash", line], { env });
  return stdout.trimEnd().split("\n");
}

describe("completion", () => {
  it.each([
    [["lo"], "logs"],
    [["logs", "we"], "webhooks"],
    [["logs", "webhooks", "sta"], "status>="],
    [["logs", "webhooks", "sin"], "since:"],
    [["token", "role:r"], "role:recvonly"],
    [["completion", ""], "fish"],
    [["logs", "webhooks", "--j"], "--json"],
  ])("after %j offers %s", async (words, candidate) => {
    expect(await candidates(...words)).toContain(candidate);
  });

  it("knows the profiles", async () => {
    const { media } = await newUser();
    expect((await media(["__complete", "--", "use", ""])).out).toBe("");
  });

  it.each([
    ["media lo", "logs"],
    ["media logs webhooks st", "status>="],
    // Bash replaces only what comes after the colon.
    ["media token role:r", "recvonly"],
  ])("bash completes %j with %s", async (line, candidate) => {
    expect(await inBash(line)).toContain(candidate);
  });

  it.each(["bash", "zsh", "fish"])("prints what %s needs", async (shell) => {
    const { out, code } = await (await newUser()).media(["completion", shell]);
    expect(out).toContain(`for ${shell}`);
    expect(code).toBe(0);
  });
});
