#!/usr/bin/env node
import { homedir, hostname, userInfo } from "node:os";
import { run } from "./run.js";

const { stdin, stdout, stderr, env, platform } = process;

stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader such as `head` may stop reading, which is no failure.
  if (error.code === "EPIPE") process.exit(0);
  stderr.write(`Cannot write the output: ${error.message}.\n`);
  process.exit(1);
});
// The command still works without a standard error.
stderr.on("error", () => {});

const stopped = new AbortController();
// Once: a second Ctrl-C ends the process at once.
process.once("SIGINT", () => stopped.abort());
process.once("SIGTERM", () => stopped.abort());

process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  platform,
  home: known(homedir),
  account: known(() => `${userInfo().username}@${hostname()}`),
  now: Date.now,
  timeZone,
  signal: stopped.signal,
});

/** What the system knows; undefined if it knows neither HOME nor the user, as in some containers. */
function known(ask: () => string): string | undefined {
  try {
    return ask() || undefined;
  } catch {
    return undefined;
  }
}

/** The time zone; UTC if TZ names an unknown zone. */
function timeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return known(() => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone) ?? "UTC";
}
