import { createRequire } from "node:module";
import { DatabaseError } from "@media-ops/database";
import { createLog, MasterKeyError, redact, refuseLostDatabase } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import { readCommandLine } from "@media-ops/settings/command-line";
import { StopSignal } from "@media-ops/settings/process";

/** The command line is invalid; the message says how to correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const commands = [
  { name: "backup", parameters: ["<file>"], usage: "media-bot backup <file>" },
  { name: "restore", parameters: ["<backup>"], usage: "media-bot restore <backup>" },
  {
    name: "migrate-store",
    parameters: [],
    options: [
      { name: "from", value: "<database>" },
      { name: "to", value: "<postgres:address>" },
    ],
    usage: "media-bot migrate-store --from <database> --to <postgres:address>",
  },
  { name: "distribute", parameters: [], usage: "media-bot distribute" },
] as const;

/** The usage of `media-bot`, at most 80 columns wide. */
export const help = `media-bot
  Starts the bot. Its settings are in the environment, or in a file .env where
  it is started.

  --new
      begin with an empty database, though a master key shows that there was one

media-bot backup <file>
  Writes a consistent copy of the SQLite database to a new file, while the bot
  goes on. The master key is not in it: keep that too, elsewhere.

media-bot restore <backup>
  Puts a backup in the place of the SQLite database, and keeps what was there
  under a dated name. Stop the bot first: a database in use is refused. The
  backup is checked before anything is changed, and again in its place. It may
  be interrupted at any moment, and run again.

media-bot migrate-store
  Copies everything to a database in PostgreSQL, and checks that it is the same.

  --from <database>
      what is copied, such as sqlite:./data/bot.db or
      postgres://media@db.example/media
  --to <postgres:address>
      a database that no bot has used, such as
      postgres://media@new.example/media; it may be the one of the service

  Stop the bot first: what it would write meanwhile would be lost, and a
  database in use is refused. It may be interrupted at any moment; the same
  command then goes on. The source stays as it is. A password need not stand in
  the address, where others on this machine may see it: PGPASSWORD is read, too.
  Ends with 1 unless every row is in the target.

media-bot distribute
  Distributes the tables of a PostgreSQL database over the workers of Citus, in
  place. Needed once, if the database was filled before Citus was added to it.
  Stop each bot and service that uses it first: it refuses while one is
  connected. It may be interrupted at any moment; the same command then goes on.

  --help       show this
  --version    show name and version
`;

/** Parses the arguments of `media-bot`; a {@link UsageError} has the problem and the correct usage. */
export function readArguments(args: readonly string[]) {
  const { command, parameters, given, faults } = readCommandLine<(typeof commands)[number]>(args, {
    name: "media-bot",
    commands,
    options: [{ name: "new" }],
    commonOptions: [{ name: "help" }, { name: "version" }],
    usageOf: ({ usage }) => usage,
  });
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(fault);
  if (given.switches.has("help")) return { kind: "help" } as const;
  if (given.switches.has("version")) return { kind: "version" } as const;
  if (command === undefined) return { kind: "start", isNew: given.switches.has("new") } as const;
  if (command.name === "distribute") return { kind: "distribute" } as const;
  if (command.name !== "migrate-store") return { kind: command.name, file: parameters[0] ?? "" };
  const { from, to } = given.values;
  if (from === undefined) throw new UsageError("Missing --from: --from sqlite:./data/bot.db");
  if (to === undefined) throw new UsageError("Missing --to: --to postgres://media@db.example/media");
  return { kind: "migrate-store", from, to } as const;
}

/** Runs one command and returns the exit code: 0 for success, 1 for a failure, 2 for invalid usage. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    const asked = readArguments(args);
    switch (asked.kind) {
      case "help":
        process.stdout.write(help);
        return 0;
      case "version": {
        const manifest: { name: string; version: string } = createRequire(import.meta.url)("../package.json");
        process.stdout.write(`${manifest.name} ${manifest.version}\n`);
        return 0;
      }
      case "backup":
      case "restore": {
        const { backUpBotStore, restoreBotStore } = await import("./storage/copies.js");
        const work = asked.kind === "backup" ? backUpBotStore : restoreBotStore;
        process.stdout.write(`${await work(asked.file, process.env, Date.now())}\n`);
        return 0;
      }
      case "start":
        return await serve(asked.isNew);
      case "migrate-store": {
        const { migrateBotStore } = await import("./storage/copies.js");
        const { text, isSame } = await migrateBotStore(asked.from, asked.to, process.env);
        process.stdout.write(text);
        return isSame ? 0 : 1;
      }
      case "distribute": {
        const { distributeBotStore } = await import("./storage/copies.js");
        process.stdout.write(`${await distributeBotStore(process.env)}\n`);
        return 0;
      }
    }
  } catch (error) {
    process.stderr.write(`${redact(errorText(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Errors that the operator can fix are shown without a stack. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = [ConfigError, DatabaseError, MasterKeyError, UsageError];
  const isKnown = known.some((expected) => error instanceof expected);
  return isKnown || "code" in error || error.cause ? error.message : (error.stack ?? error.message);
}

/** @param isNew Whether to create an empty database even though a master key shows that there was one. */
async function serve(isNew: boolean): Promise<number> {
  // Only this command needs Slack's libraries, which load slowly.
  const [{ startBot }, { readConfig }] = await Promise.all([import("./bot.js"), import("./config.js")]);
  const config = readConfig(process.env);
  if (!isNew) await refuseLostDatabase(config, { restore: "media-bot restore <backup>", anew: "media-bot --new" });
  const log = createLog({ level: config.logLevel });
  const stop = new StopSignal(log);
  const bot = await startBot({ config, log });
  stop.started();
  void bot.mustRestart.then((error) => stop.fail(error));
  const { reason, exitCode } = await stop.received;
  log.info({ reason }, "stopping");
  await bot.stop();
  log.info("stopped");
  return exitCode;
}
