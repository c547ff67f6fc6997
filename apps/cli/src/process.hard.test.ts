// Tests that need a process of their own: signals, closed outputs, a real terminal, a real shell.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { delivery } from "./test/entries.js";
import { type RunningService, startRunningService } from "./test/services.js";
import { main, newUser, temporaryFolder } from "./test/user.js";

/** Runs a shell line in a real terminal, in which `$NODE "$MEDIA"` is the command. */
function startInTerminal(line: string, env: Record<string, string>) {
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", line, "/dev/null"], {
    env: { PATH: process.env.PATH ?? "", TZ: "UTC", SHELL: "/bin/sh", NODE: process.execPath, MEDIA: main, ...env },
  });
  onTestFinished(() => void child.kill());
  let shown = "";
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk) => {
      shown += chunk;
    });
  }
  return {
    /** The whole output of the terminal. */
    screen: () => shown,
    paste: (text: string) => void child.stdin.write(text),
    /** Waits until the terminal has shown a text this many times. */
    shows: (text: string, times = 1) =>
      expect.poll(() => shown.split(text).length - 1, { message: text }).toBeGreaterThanOrEqual(times),
  };
}

let service: RunningService;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startRunningService(atEnd);
  await service.add("webhooks", delivery(5, "session.created", 500, 1));
});

async function follow() {
  const child = (await newUser(service.env)).spawn(["follow", "webhooks", "every:1s", "since:10m"]);
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  await expect.poll(() => out).toContain("✗ 500");
  return child;
}

it("Ctrl-C ends media follow, which is no failure", async () => {
  const child = await follow();
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
});

it("media follow ends when its output is closed", async () => {
  const child = await follow();
  child.stdout.destroy();
  const added = async () => {
    await service.add("webhooks", delivery(0, "connection.created", 200, 2));
    return child.exitCode;
  };
  await expect.poll(added, { interval: 200 }).toBe(0);
});

it("media live --watch draws on a screen of its own until Ctrl-C, which is no failure", async () => {
  const env = { HOME: (await newUser()).home, ...service.env };
  // The shell survives Ctrl-C.
  const shell = startInTerminal(`trap : INT; "$NODE" "$MEDIA" live --watch=0.5; echo "ended with $?"`, env);
  await shell.shows("Nobody is connected.", 2);
  shell.paste("\u0003");
  await shell.shows("ended with 0");
  const [before = "", drawn = "", after = ""] = shell.screen().split(/\?1049[hl]/);
  expect(before).not.toContain("Nobody");
  expect(drawn).toContain("Nobody");
  expect(after).toContain("Nobody is connected.");
});

it("an output that can't be written is reported in one sentence", async () => {
  // The standard output is a read-only file.
  const ended = promisify(execFile)("sh", ["-c", 'exec "$0" "$1" help 1<"$1"', process.execPath, main]);
  const stderr = expect.stringMatching(/^Cannot write the output: .*\.\n$/);
  await expect(ended).rejects.toMatchObject({ code: 1, stderr });
});

it("an unknown time zone counts as UTC", async () => {
  const { home } = await newUser();
  const env = { HOME: home, TZ: "", ...service.env };
  const { stdout } = await promisify(execFile)(process.execPath, [main, "logs", "webhooks"], { env });
  expect(stdout).toContain("Time (UTC)");
});

it("the package contains the completions and the program, and no tests", async () => {
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: join(import.meta.dirname, "..") });
  const files = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
  expect(files).toEqual(
    expect.arrayContaining(["completion/media.bash", "completion/media.fish", "completion/media.zsh", "dist/main.js"]),
  );
  expect(files.filter((path: string) => /test|tsbuildinfo/.test(path))).toEqual([]);
});

describe("in bash", () => {
  /** The text that bash inserts or offers when the line is typed and the key pressed. */
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

  it.each([
    ["media lo", "logs"],
    // Characters with a meaning in the shell are escaped.
    ["media logs webhooks tim", "time\\>="],
    ["media logs webhooks 'tim", "time>="],
    // Bash replaces only the part after the colon.
    ["media token role:r", "recvonly"],
  ])("bash completes %j with %s", async (line, candidate) => {
    expect(await inBash(line)).toContain(candidate);
  });
});

describe("media login in a terminal of its own", () => {
  it("repeats a question after an invalid answer, shows no key, and leaves no pasted text to the shell", async () => {
    const { home } = await newUser();
    const shell = startInTerminal(`"$NODE" "$MEDIA" login; echo "ended with $?"; read -r rest; echo "left:[$rest]"`, {
      HOME: home,
    });
    await shell.shows("Address of the service [http://127.0.0.1:8080]: ");
    shell.paste(`127.0.0.1:1\ndemo\n${service.apiKey}\n`);
    await shell.shows("The address must be like https://media.example");
    await shell.shows("Address of the service", 2);
    shell.paste(`${service.url}\n`);
    await shell.shows("Project: ");
    shell.paste(`${service.apiKey.slice(0, 12)}\n`);
    await shell.shows("That is an API key.");
    await shell.shows("Project: ", 2);
    shell.paste("demo\n");
    await shell.shows("API key (hidden): ");
    shell.paste("mo_wrong_key\n");
    await shell.shows("The API key was refused.");
    await shell.shows(`Address of the service [${service.url}]: `);
    shell.paste(`\n\n${service.apiKey}\nrm -rf nothing\n`);
    await shell.shows("ended with 0");
    shell.paste("the end\n");
    await shell.shows("left:[the end]");
    expect(shell.screen()).not.toContain(service.apiKey);
    expect(shell.screen()).not.toContain("wrong_key");
    expect(await readFile(join(home, ".config/media-ops/profiles.json"), "utf8")).toContain(service.apiKey);
  });
});
