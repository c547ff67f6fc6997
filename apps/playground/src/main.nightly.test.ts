import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./test/start.js";

const main = join(import.meta.dirname, "../dist/main.js");

interface Run {
  readonly process: ChildProcessWithoutNullStreams;
  /** All output so far. */
  printed(): string;
  readonly exitCode: Promise<number | null>;
}

/** Runs the built program, as `pnpm start` does. */
function run(folder: string, ...args: string[]): Run {
  // Empty variables are not overridden by an .env file.
  const noSlack = { SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "", SLACK_CLIENT_ID: "" };
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...noSlack, PLAYGROUND_DATA: folder, PLAYGROUND_PORTS: "any", INIT_CWD: folder },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { process: child, printed: () => text, exitCode: once(child, "close").then(([code]) => code) };
}

describe("on the command line, the playground", () => {
  it("shows its URLs but no key, and exits with 0 on Ctrl-C, even if two signals arrive", async () => {
    const folder = await temporaryFolder();
    const first = run(folder);
    await expect.poll(first.printed, { timeout: 20_000 }).toContain("Ctrl-C stops it.");
    expect(first.printed()).not.toMatch(/m[oi]_[^_\s]+_/);
    // Relative to where it was started, not to where the package manager runs it.
    expect(first.printed()).toContain("$(cat demo.key)");

    const second = run(folder);
    expect(await second.exitCode).toBe(1);
    expect(second.printed()).toMatch(/^The playground is already running .* It is at http:\/\/127\.0\.0\.1:\d+\n$/);

    const began = performance.now();
    first.process.kill("SIGINT");
    first.process.kill("SIGINT");
    expect(await first.exitCode).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(first.printed()).toMatch(/Stopping …\nStopped\.\n$/);
  });

  it("shuts down cleanly when its terminal is closed and its output is no longer read", async () => {
    const folder = await temporaryFolder();
    const { process: child, printed, exitCode } = run(folder);
    await expect.poll(printed, { timeout: 20_000 }).toContain("Ctrl-C stops it.");
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill("SIGHUP");
    expect(await exitCode).toBe(0);
    expect((await readdir(folder)).filter((name) => /lock|wal/.test(name))).toEqual([]);
  });

  it("shows help", async () => {
    const folder = await temporaryFolder();
    const help = run(folder, "--help");
    expect(await help.exitCode).toBe(0);
    expect(help.printed()).toContain("--fresh");
  });

  it("reports wrong Slack settings with the bot's message, without a stack", async () => {
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, PLAYGROUND_DATA: await temporaryFolder(), SLACK_BOT_TOKEN: "hunter2" },
    });
    let text = "";
    child.stderr.on("data", (chunk) => (text += chunk));
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(text).toMatch(/^The settings are wrong:\n {2}SLACK_BOT_TOKEN must be a token that begins with xoxb-/);
    expect(text).not.toMatch(/hunter2|\n\s+at /);
  });
});
