#!/usr/bin/env node
import { homedir } from "node:os";
import { run } from "./run.js";

const { stdin, stdout, stderr, env, platform } = process;

stdout.on("error", (error: NodeJS.ErrnoException) => {
  // Whoever reads the output may stop reading, as `head` does; that is no failure.
  if (error.code === "EPIPE") process.exit(0);
  stderr.write(`The output can't be written: ${error.message}.\n`);
  process.exit(1);
});
// What can't be told can't be told; what was asked for is still done.
stderr.on("error", () => {});

const stopped = new AbortController();
// Once: a second Ctrl-C ends the process whatever it does.
process.once("SIGINT", () => stopped.abort());
process.once("SIGTERM", () => stopped.abort());

process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  platform,
  home: homeFolder(),
  now: Date.now,
  timeZone,
  signal: stopped.signal,
});

/** None where the system knows neither HOME nor the user, as in some containers. */
function homeFolder(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/** UTC where TZ names a zone that nobody knows. */
function timeZone(): string {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}
