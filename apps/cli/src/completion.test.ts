import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { main, newUser } from "./test/media.js";
import { temporaryFolder } from "./test/service.js";

async function candidates(...words: string[]): Promise<string[]> {
  const { out } = await (await newUser()).media(["__complete", "--", ...words]);
  return out.split("\n").map((line) => line.split("\t")[0] ?? "");
}

/** What bash puts in, or offers, when the line is typed and the key pressed. */
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
    [["logs", "webhooks", "sta"], "status:"],
    [["logs", "webhooks", "sin"], "since:"],
    [["token", "role:r"], "role:recvonly"],
    [["completion", ""], "fish"],
    [["logs", "webhooks", "--j"], "--json"],
    [["--json", "--profile", "staging", "logs", "we"], "webhooks"],
    [["--utc", "comp"], "completion"],
  ])("after %j offers %s", async (words, candidate) => {
    expect(await candidates(...words)).toContain(candidate);
  });

  it("knows the profiles, and shows nothing secret of them", async () => {
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

  it("offers nothing, and disturbs nobody, where the profiles can't be read", async () => {
    const { home, media } = await newUser();
    await mkdir(join(home, ".config/media-ops/profiles.json"), { recursive: true });
    expect(await media(["__complete", "--", "use", ""])).toEqual({ code: 0, out: "", err: "" });
  });

  it.each([
    ["media lo", "logs"],
    // What a shell would take for itself is made plain.
    ["media logs webhooks tim", "time\\>="],
    ["media logs webhooks 'tim", "time>="],
    // Bash replaces only what comes after the colon.
    ["media token role:r", "recvonly"],
  ])("bash completes %j with %s", async (line, candidate) => {
    expect(await inBash(line)).toContain(candidate);
  });

  it("is part of what is published", async () => {
    const pack = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout } = await promisify(execFile)("npm", pack, { cwd: join(import.meta.dirname, "..") });
    const files = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
    expect(files).toEqual(
      expect.arrayContaining(["completion/media.bash", "completion/media.fish", "completion/media.zsh"]),
    );
    expect(files).toContain("dist/main.js");
    expect(files.filter((path: string) => /test|tsbuildinfo/.test(path))).toEqual([]);
  });

  it.each(["bash", "zsh", "fish"])("prints what %s needs", async (shell) => {
    const { out, code } = await (await newUser()).media(["completion", shell]);
    expect(out).toContain(`for ${shell}`);
    expect(code).toBe(0);
  });
});
