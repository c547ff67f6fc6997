import { formatProblem } from "@media-ops/formatters/terminal";
import { MediaUsageError } from "@media-ops/sdk";

import { follow } from "./commands/follow.js";
import { help } from "./commands/help.js";
import { login } from "./commands/login.js";
import { logs } from "./commands/logs.js";
import { logout, profiles, use } from "./commands/profiles.js";
import { status } from "./commands/status.js";
import { summary } from "./commands/summary.js";
import { token } from "./commands/token.js";
import { complete, completion } from "./completion.js";
import { CliError, type FailureCode } from "./errors.js";
import { takeFlags } from "./flags.js";
import { type Command, language } from "./language.js";
import { openSession, type Session } from "./session.js";
import { version } from "./version.js";
import type { World } from "./world.js";

/** What shells give for a command that Ctrl-C ended. */
const STOPPED = 130;

/** Does what was typed. Gives the exit code: 0 done, 1 failed, 2 not understood, 130 stopped. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  if (argv[0] === "__complete") {
    await complete(argv.slice(1), world);
    return 0;
  }
  try {
    const { flags, words } = takeFlags(argv);
    const session = openSession(world, flags);
    if (flags.version) session.print(version);
    else await dispatch(understand(flags.help ? ["help", ...words] : words, session), session);
    return 0;
  } catch (error) {
    return world.signal.aborted ? STOPPED : fail(error, world);
  }
}

function understand(words: readonly string[], { screen }: Session): Command {
  const read = language.parse(words, screen);
  if (read.ok) return read.command;
  throw new CliError(read.problem.message, 2);
}

/** A command that the table has and this lacks does not compile. */
function dispatch(command: Command, session: Session): Promise<void> {
  switch (command.name) {
    case "logs":
      return logs(command, session);
    case "summary":
      return summary(command, session);
    case "follow":
      return follow(command, session);
    case "token":
      return token(command, session);
    case "status":
      return status(command, session);
    case "help":
      return help(command, session);
    case "login":
      return login(command, session);
    case "logout":
      return logout(command, session);
    case "profiles":
      return profiles(command, session);
    case "use":
      return use(command, session);
    case "completion":
      return completion(command, session);
  }
}

/** What to do where the service did not answer as hoped, in the terminal's own words. */
const next = {
  Unauthorized:
    "Log in with a key that is good: media login. Keys are made where the service runs: media-ops keys create.",
  Forbidden: "Leave out in:<project>, or log in with that project's key: media login <profile>.",
  NotFound: "Check the address: media profiles shows it, media login changes it.",
  Connection: "Check that the service runs, and its address: media profiles shows it, media login changes it.",
};

function fail(error: unknown, { stderr, env, now, timeZone }: World): FailureCode {
  if (error instanceof CliError) {
    stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  const screen = { width: 100, color: false, now: now(), timeZone };
  stderr.write(`${formatProblem(error, { ...screen, next })}\n`);
  if (env.MEDIA_DEBUG) stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return error instanceof MediaUsageError ? 2 : 1;
}
