#!/usr/bin/env node
import { homedir } from "node:os";
import { run } from "./run.js";

// Whoever reads the output may stop reading, as `head` does; that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const stopped = new AbortController();
// Once: a second Ctrl-C ends the process whatever it does.
process.once("SIGINT", () => stopped.abort());
process.once("SIGTERM", () => stopped.abort());

const { stdin, stdout, stderr, env, platform } = process;
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  platform,
  home: homedir(),
  now: Date.now,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  signal: stopped.signal,
});
