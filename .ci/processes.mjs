import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** How long a download may take. */
export const DOWNLOAD_MS = 600_000;

// Supervisors kill after 10 s, and a Ctrl-C that takes longer looks as if it did nothing.
const STOP_MS = 10_000;

/** The environment for programs that download: without pnpm's settings, of which npm warns, but with its registry. */
export function downloadEnv() {
  const kept = /^npm_config_(cache|cafile|registry)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^p?npm_config_/i.test(name) || kept.test(name)),
  );
}

/**
 * Starts a program in a process group of its own, so that whatever it starts ends with it, at the latest with this process.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 */
export function start(command, args, options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options, detached: true });
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    output.stderr += text;
  });

  /** @param {NodeJS.Signals} signal */
  const signalGroup = (signal) => {
    try {
      if (child.pid) process.kill(-child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  const killGroup = () => signalGroup("SIGKILL");
  // Before other listeners, which may remove the folder of the program.
  process.prependOnceListener("exit", killGroup);
  /** @type {Promise<number | string>} The exit code, or the signal that ended it. */
  const ended = once(child, "close")
    .then(([code, signal]) => code ?? signal)
    .finally(() => {
      process.off("exit", killGroup);
      killGroup();
    });
  // A caller that never waits for the end has failed for another reason.
  ended.catch(() => {});

  /**
   * Sends a signal, and later SIGKILL if the program goes on.
   *
   * @param {NodeJS.Signals} signal
   */
  async function stop(signal) {
    signalGroup(signal);
    const timer = setTimeout(killGroup, STOP_MS);
    return ended.finally(() => clearTimeout(timer));
  }
  return { output, ended, stop };
}

/**
 * Runs a program to its end; gives what it printed. Rejects unless it exits with 0 in time.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions & { readonly timeoutMs: number }} options
 */
export async function run(command, args, { timeoutMs, ...options }) {
  const { output, ended, stop } = start(command, args, options);
  const isLate = await Promise.race([ended.then(() => false), wait(timeoutMs, true, { ref: false })]);
  if (isLate) await stop("SIGTERM");
  const code = await ended;
  if (!isLate && code === 0) return output.stdout;
  const why = isLate ? `did not end within ${timeoutMs / 1000} s` : `ended with ${code}`;
  throw new Error(`${[command, ...args].join(" ")} ${why}: ${(output.stderr || output.stdout).trim().slice(-2000)}`);
}
