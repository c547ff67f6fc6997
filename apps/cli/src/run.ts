import manifest from "../package.json" with { type: "json" };
import type { Command, CommandNamed } from "./language.js";
import {
  CliError,
  type FailureCode,
  noFlags,
  openSession,
  type Session,
  STOPPED,
  takeFlags,
  type World,
} from "./session.js";

/** Runs a command. Returns the exit code: 0 done, 1 failed, 2 not understood, 130 stopped. */
export async function run(argv: readonly string[], world: World): Promise<number> {
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
    else {
      const { understand } = await import("./language.js");
      await perform(understand(flags.help ? ["help", ...words] : words, session), session);
    }
    return 0;
  } catch (error) {
    return world.signal.aborted ? STOPPED : fail(error, session);
  }
}

type Handler<Named extends Command> = (command: Named, session: Session) => Promise<void>;

/** What runs each command. Each module is loaded on demand, so that help appears at once. */
const handlers: { readonly [Name in Command["name"]]: () => Promise<Handler<CommandNamed<Name>>> } = {
  logs: async () => (await import("./logs.js")).logs,
  summary: async () => (await import("./logs.js")).summary,
  follow: async () => (await import("./logs.js")).follow,
  status: async () => (await import("./logs.js")).status,
  trace: async () => (await import("./trace.js")).trace,
  why: async () => (await import("./trace.js")).why,
  live: async () => (await import("./live.js")).live,
  token: async () => (await import("./operations.js")).token,
  tokens: async () => (await import("./operations.js")).tokens,
  revoke: async () => (await import("./operations.js")).revoke,
  check: async () => (await import("./operations.js")).check,
  deliveries: async () => (await import("./operations.js")).deliveries,
  resend: async () => (await import("./operations.js")).resend,
  endpoints: async () => (await import("./operations.js")).endpoints,
  enable: async () => (await import("./operations.js")).enable,
  disconnect: async () => (await import("./operations.js")).disconnect,
  audit: async () => (await import("./operations.js")).audit,
  help: async () => (await import("./help.js")).help,
  login: async () => (await import("./login.js")).login,
  logout: async () => (await import("./login.js")).logout,
  profiles: async () => (await import("./login.js")).profiles,
  use: async () => (await import("./login.js")).use,
  completion: async () => (await import("./completion.js")).completion,
};

async function perform(command: Command, session: Session): Promise<void> {
  const { watch, help } = session.flags;
  if (watch !== undefined && command.name !== "live" && !help) {
    throw new CliError("Only media live takes --watch. media follow <kind> prints new entries as they are written.", 2);
  }
  // The handler of its own name takes this command.
  const handler: Handler<never> = await handlers[command.name]();
  try {
    await handler(command as never, session);
  } catch (error) {
    const { lackOf } = await import("./connect.js");
    throw (await lackOf(command, error, session)) ?? error;
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
