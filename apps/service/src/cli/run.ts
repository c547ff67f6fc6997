import { readFileSync } from "node:fs";
import { DatabaseError } from "@media-ops/database";
import { MasterKeyError, refuseLostDatabase } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import type { GivenOptions } from "@media-ops/settings/command-line";
import { z } from "zod";
import { readConfig } from "../config/config.js";
import { StartError } from "../http/listening.js";
import { openExistingVault, openVault } from "../secrets/open-vault.js";
import { redact } from "../secrets/redact.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { auditCommand, recordCommand } from "./audit.js";
import { backupCommands } from "./backup.js";
import { type Command, CommandError, type Context, HOW_TO_CREATE, UsageError } from "./command.js";
import { helpOf, overview, readCommandLine } from "./command-line.js";
import { deliveryCommands } from "./deliveries.js";
import { distributeCommand } from "./distribute.js";
import { doctorCommand } from "./doctor/doctor.js";
import { keyCommands } from "./keys.js";
import { migrateStoreCommand } from "./migrate-store.js";
import { projectCommands } from "./projects.js";
import { quarantineCommand } from "./quarantine.js";
import { retentionCommands } from "./retention.js";
import { serveCommand } from "./serve.js";
import { webhookCommands } from "./webhooks.js";

/** All commands of `media-ops`. */
export const commands: readonly Command[] = [
  serveCommand,
  ...projectCommands,
  ...keyCommands,
  quarantineCommand,
  ...webhookCommands,
  ...deliveryCommands,
  ...backupCommands,
  migrateStoreCommand,
  distributeCommand,
  ...retentionCommands,
  auditCommand,
  doctorCommand,
];

/** The streams and settings that the command line gets from its process. */
export interface CliProcess {
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  complain(text: string): void;
  /** @default opens the database of the settings */
  openStorage?: typeof openStorage;
}

/** Runs one command. Returns the exit code: 0 if it succeeded, 1 if it failed, 2 if the command line is invalid. */
export async function runCli(args: readonly string[], cliProcess: CliProcess): Promise<number> {
  const { write, complain } = cliProcess;
  try {
    const { command, parameters, given } = readCommandLine(args, commands);
    const [wantsHelp, wantsJson] = [given.switches.has("help"), given.switches.has("json")];
    if (!command && given.switches.has("version")) {
      const { name, version } = readVersion();
      write(wantsJson ? `${JSON.stringify({ name, version })}\n` : `${name} ${version}\n`);
      return 0;
    }
    if (!command) {
      (wantsHelp ? write : complain)(overview(commands));
      return wantsHelp ? 0 : 2;
    }
    if (wantsHelp) {
      write(helpOf(command));
      return 0;
    }
    const opened: Storage[] = [];
    const context = createContext(cliProcess, command, given, opened);
    const {
      text,
      json,
      exitCode = 0,
    } = await runRecorded(command, parameters, { context, given, opened }).finally(() =>
      Promise.all(opened.map((one) => one.close())),
    );
    if (wantsJson ? json !== undefined : text !== "") write(`${wantsJson ? JSON.stringify(json) : text}\n`);
    return exitCode;
  } catch (error) {
    complain(`${redact(explain(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

interface Running {
  readonly context: Context;
  readonly given: GivenOptions;
  /** The databases that the command has opened. */
  readonly opened: readonly Storage[];
}

/** Runs a command. One that changes something is recorded in the audit log. */
async function runRecorded(command: Command, parameters: readonly string[], { context, given, opened }: Running) {
  const { name, isAct = false } = command;
  const record = async (ended: { projectId: string; outcome: "done" | "failed"; detail?: string }): Promise<void> => {
    const [storage] = opened;
    if (isAct && storage) await recordCommand(storage, { name, parameters, now: context.now(), ...ended });
  };
  try {
    const result = await command.run(context, parameters, given);
    await record({ projectId: projectIn(result.json), outcome: "done" });
    return result;
  } catch (error) {
    // The command's own error is the one to show.
    if (error instanceof CommandError) {
      await record({ projectId: "", outcome: "failed", detail: error.message }).catch(() => {});
    }
    throw error;
  }
}

function projectIn(json: unknown): string {
  const { project_id }: { project_id?: unknown } = Object(json);
  return typeof project_id === "string" ? project_id : "";
}

/** @param opened Receives the databases that the command opens, to be closed when it ends. */
function createContext(
  { env, now, openStorage: open = openStorage }: CliProcess,
  { name, parameters }: Command,
  { switches }: GivenOptions,
  opened: Storage[],
): Context {
  const config = () => readConfig(env);
  const refuseLost = async (command: string): Promise<void> => {
    if (!switches.has("new"))
      await refuseLostDatabase(config(), { restore: "media-ops restore <backup>", anew: command });
  };
  return {
    refuseLost,
    now,
    config,
    async open() {
      const settings = config();
      const storage = await open(settings.databaseUrl, { mustExist: true }).catch((error: unknown) => {
        const isMissing = error instanceof DatabaseError && error.code === "missing";
        throw isMissing ? new CommandError(`${error.message} ${HOW_TO_CREATE}`, { cause: error }) : error;
      });
      opened.push(storage);
      const { query } = storage;
      const vault = await openExistingVault(settings, query);
      if (vault === undefined) throw new CommandError(`The database has no master key yet. ${HOW_TO_CREATE}`);
      return { storage, query, vault };
    },
    async create() {
      const settings = config();
      await refuseLost(["media-ops", name, ...parameters, "--new"].join(" "));
      const storage = await open(settings.databaseUrl);
      opened.push(storage);
      const { query } = storage;
      return { storage, query, vault: await openVault(settings, query) };
    },
  };
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected = [CommandError, ConfigError, DatabaseError, MasterKeyError, StartError].some(
    (known) => error instanceof known,
  );
  return isExpected ? error.message : (error.stack ?? error.message);
}

/** Name and version of this program, from its package.json. */
function readVersion(): { name: string; version: string } {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ name: z.string(), version: z.string() }).parse(JSON.parse(text));
}
