import { setMaxListeners } from "node:events";
import manifest from "../package.json" with { type: "json" };
import { CliError, type FailureCode, STOPPED } from "./errors.js";
import { noFlags, takeFlags } from "./flags.js";
import type { Command } from "./language.js";
import { openSession, type Session, type World } from "./session.js";

/** Runs a command. Returns the exit code: 0 done, 1 failed, 2 not understood, 130 stopped. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  // A command makes many calls at once, and each of them listens to the signal.
  setMaxListeners(0, world.signal);
  let session = openSession(world, noFlags);
  try {
    if (argv[0] === "__complete") {
      const { complete } = await import("./completion.js");
      await complete(argv.slice(1), session);
      return 0;
    }
    const { flags, words } = takeFlags(argv);
    session = openSession(world, flags);
    if (flags.version) session.print(version);
    else await perform(await read(flags.help ? ["help", ...words] : words, session), session);
    return 0;
  } catch (error) {
    return world.signal.aborted ? STOPPED : fail(error, session);
  }
}

async function read(words: readonly string[], session: Session): Promise<Command> {
  const { understand } = await import("./language.js");
  return understand(words, session);
}

async function perform(command: Command, session: Session): Promise<void> {
  const { watch, help } = session.flags;
  if (watch !== undefined && command.name !== "live" && !help) {
    throw new CliError("Only media live takes --watch. media follow <kind> prints new entries as they are written.", 2);
  }
  try {
    await dispatch(command, session);
  } catch (error) {
    const { lackOf } = await import("./lacking.js");
    throw (await lackOf(command, error, session)) ?? error;
  }
}

/**
 * Runs the command. A new command without a case does not compile. Each module is loaded on demand, so that help
 * appears at once.
 */
async function dispatch(command: Command, session: Session): Promise<void> {
  switch (command.name) {
    case "logs":
      return (await import("./logs.js")).logs(command, session);
    case "summary":
      return (await import("./overview.js")).summary(command, session);
    case "follow":
      return (await import("./follow.js")).follow(command, session);
    case "trace":
      return (await import("./trace.js")).trace(command, session);
    case "why":
      return (await import("./why.js")).why(command, session);
    case "live":
      return (await import("./live.js")).live(command, session);
    case "token":
      return (await import("./token.js")).token(command, session);
    case "tokens":
      return (await import("./tokens.js")).tokens(command, session);
    case "revoke":
      return (await import("./tokens.js")).revoke(command, session);
    case "check":
      return (await import("./check.js")).check(command, session);
    case "deliveries":
      return (await import("./deliveries.js")).deliveries(command, session);
    case "resend":
      return (await import("./deliveries.js")).resend(command, session);
    case "endpoints":
      return (await import("./endpoints.js")).endpoints(command, session);
    case "enable":
      return (await import("./endpoints.js")).enable(command, session);
    case "disconnect":
      return (await import("./disconnect.js")).disconnect(command, session);
    case "audit":
      return (await import("./audit.js")).audit(command, session);
    case "status":
      return (await import("./overview.js")).status(command, session);
    case "help":
      return (await import("./help.js")).help(command, session);
    case "login":
      return (await import("./login.js")).login(command, session);
    case "logout":
      return (await import("./login.js")).logout(command, session);
    case "profiles":
      return (await import("./login.js")).profiles(command, session);
    case "use":
      return (await import("./login.js")).use(command, session);
    case "completion":
      return (await import("./completion.js")).completion(command, session);
    default:
      return command satisfies never;
  }
}

async function fail(error: unknown, session: Session): Promise<FailureCode> {
  // No added line breaks, because the message may contain a command to copy.
  if (error instanceof CliError) {
    session.show(error.message);
    return error.exitCode;
  }
  const { debugText, problemText } = await import("./output.js");
  session.show(problemText(error, session));
  if (session.world.env.MEDIA_DEBUG) session.show(debugText(error));
  return 1;
}

export const { version } = manifest;
