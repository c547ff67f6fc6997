import { spawn } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { main } from "./media.js";

/** Runs a shell line in a real terminal, in which `$NODE "$MEDIA"` is the command. */
export function startInTerminal(line: string, env: Record<string, string>) {
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
