import { spawn } from "node:child_process";
import { once } from "node:events";

/** How long a download may take. */
export const DOWNLOAD_MS = 600_000;

const PATIENCE_MS = 5_000;

/** The environment for programs that download: npm warns of pnpm's settings, but needs its own way to the registry. */
export function downloadEnv() {
  const kept = /^npm_config_(cache|cafile|registry)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^p?npm_config_/i.test(name) || kept.test(name)),
  );
}

/**
 * Starts a program in a process group of its own, so that whatever it starts ends with it: at the latest when its time
 * is over or the given signal is aborted, of which its own signal tells.
 */
export function start(command, args, { signal: outer, timeoutMs, ...options }) {
  outer.throwIfAborted();
  const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].setEncoding("utf8").on("data", (text) => {
      output[name] += text;
    });
  }
  const ended = once(child, "close").then(([code, killedBy]) => code ?? killedBy);
  // Whoever waits for it sees the failure.
  ended.catch(() => {});

  const over = new AbortController();
  const stop = () => {
    over.abort(outer.reason ?? new Error(`it was not done after ${timeoutMs / 1_000} s`));
    end();
  };
  const timer = setTimeout(stop, timeoutMs);
  outer.addEventListener("abort", stop);

  async function end() {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
    sendToGroup(child, "SIGTERM");
    const patience = setTimeout(() => sendToGroup(child, "SIGKILL"), PATIENCE_MS);
    await ended.catch(() => {});
    clearTimeout(patience);
    // For what outlived its parent.
    sendToGroup(child, "SIGKILL");
  }
  return { stdout: child.stdout, output, ended, signal: over.signal, end };
}

/** Runs a program to its end and gives what it wrote. */
export async function run(command, args, options) {
  const program = start(command, args, options);
  try {
    const code = await program.ended;
    program.signal.throwIfAborted();
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${program.output.stderr.trim().slice(-2_000)}`);
    return program.output.stdout;
  } finally {
    await program.end();
  }
}

function sendToGroup({ pid }, signal) {
  try {
    if (pid) process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}
