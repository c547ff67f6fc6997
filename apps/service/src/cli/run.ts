import { readFileSync } from "node:fs";
import { DatabaseError } from "@media-ops/database";
import { MasterKeyError, refuseLostDatabase } from "@media-ops/secrets";
import { ConfigError } from "@media-ops/settings";
import { z } from "zod";
import { readConfig } from "../config/config.js";
import { StartError } from "../http/listening.js";
import { openExistingVault, openVault } from "../secrets/open-vault.js";
import { redact } from "../secrets/redact.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { auditCommand, recordCommand } from "./audit.js";
import {
  type Command,
  CommandError,
  type Context,
  explainMissing,
  HOW_TO_CREATE,
  helpOf,
  overview,
  readCommandLine,
  UsageError,
} from "./command.js";
import { databaseCommands } from "./databases.js";
import { deliveryCommands } from "./deliveries.js";
import { doctorCommand } from "./doctor.js";
import { keyCommands } from "./keys.js";
import { needProject, projectCommands } from "./projects.js";
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
  ...databaseCommands,
  ...retentionCommands,
  auditCommand,
  doctorCommand,
];

/** The streams and settings that the command line gets from its process. */
export interface CliProcess {
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  write(text: string): void;
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
    const context = createContext(cliProcess, opened, {
      isNew: given.switches.has("new"),
      call: ["media-ops", command.name, ...parameters].join(" "),
    });
    const record = async (ended: { projectId: string; outcome: "done" | "failed"; detail?: string }): Promise<void> => {
      const ran = { name: command.name, parameters, now: cliProcess.now(), ...ended };
      if (command.isAct && opened[0]) await recordCommand(opened[0], ran);
    };
    try {
      const { text, json, exitCode = 0 } = await command.run(context, parameters, given);
      await record({ projectId: projectIn(json), outcome: "done" });
      if (wantsJson ? json !== undefined : text !== "") write(`${wantsJson ? JSON.stringify(json) : text}\n`);
      return exitCode;
    } catch (error) {
      // The command's own error is the one to show.
      const detail = error instanceof CommandError ? error.message : undefined;
      if (detail !== undefined) await record({ projectId: "", outcome: "failed", detail }).catch(() => {});
      throw error;
    } finally {
      for (const storage of opened) await storage.close();
    }
  } catch (error) {
    complain(`${redact(explain(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function projectIn(json: unknown): string {
  const { project_id }: { project_id?: unknown } = Object(json);
  return typeof project_id === "string" ? project_id : "";
}

function createContext(
  { env, now, openStorage: open = openStorage }: CliProcess,
  opened: Storage[],
  { isNew, call }: { isNew: boolean; call: string },
): Context {
  const config = () => readConfig(env);
  const refuseLost = async (anew: string): Promise<void> => {
    if (!isNew) await refuseLostDatabase(config(), { restore: "media-ops restore <backup>", anew });
  };
  return {
    refuseLost,
    now,
    config,
    async open(projectId) {
      const settings = config();
      const storage = await open(settings.databaseUrl, { mustExist: true }).catch(explainMissing);
      opened.push(storage);
      const { query } = storage;
      const vault = await openExistingVault(settings, query);
      if (vault === undefined) throw new CommandError(`The database has no master key yet. ${HOW_TO_CREATE}`);
      if (projectId !== undefined) await needProject(query, projectId);
      return { storage, query, vault };
    },
    async create() {
      const settings = config();
      await refuseLost(`${call} --new`);
      const storage = await open(settings.databaseUrl);
      opened.push(storage);
      const { query } = storage;
      return { storage, query, vault: await openVault(settings, query) };
    },
  };
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = [CommandError, ConfigError, DatabaseError, MasterKeyError, StartError];
  return expected.some((known) => error instanceof known) ? error.message : (error.stack ?? error.message);
}

function readVersion(): { name: string; version: string } {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ name: z.string(), version: z.string() }).parse(JSON.parse(text));
}
