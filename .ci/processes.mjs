import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

/** Time limit for a download. */
export const DOWNLOAD_MS = 600_000;

// Supervisors send SIGKILL after 10 s, and to a person a slower Ctrl-C seems to do nothing.
const STOP_MS = 10_000;

/**
 * Returns an environment for programs that download: without pnpm's settings, of which npm warns, but with its
 * registry.
 */
export function downloadEnv() {
  const kept = /^npm_config_(cache|cafile|registry)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^p?npm_config_/i.test(name) || kept.test(name)),
  );
}

/**
 * Starts a program in its own process group, so that all its child processes end with it, or with this process at the
 * latest.
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
  // Runs before other listeners, which may remove the program's folder.
  process.prependOnceListener("exit", killGroup);
  /** @type {Promise<number | string>} The exit code, or the signal that ended it. */
  const ended = once(child, "close")
    .then(([code, signal]) => code ?? signal)
    .finally(() => {
      process.off("exit", killGroup);
      killGroup();
    });
  // Avoids an unhandled rejection if the caller failed before it awaited the end.
  ended.catch(() => {});

  /**
   * Sends a signal, and SIGKILL if the program is still running some time later.
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
 * Runs a program to its end and returns its output. Rejects unless it exits with code 0 in time.
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
