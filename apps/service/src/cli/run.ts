import { parseArgs } from "node:util";
import { DatabaseError } from "@media-ops/database";
import { ConfigError, readConfig } from "../config/config.js";
import { StartError } from "../http/listening.js";
import { MasterKeyError, openVault } from "../secrets/master-key.js";
import { redact } from "../secrets/redact.js";
import { openStorage } from "../storage/open-storage.js";
import { messageOf } from "../text/message-of.js";
import { nearest } from "../text/nearest.js";
import { backupCommand } from "./backup.js";
import { type Command, CommandError, type Context } from "./command.js";
import { doctorCommand } from "./doctor.js";
import { keyCommands } from "./keys.js";
import { projectCommands } from "./projects.js";
import { serveCommand } from "./serve.js";

export const commands: readonly Command[] = [
  serveCommand,
  ...projectCommands,
  ...keyCommands,
  backupCommand,
  doctorCommand,
];

/** Where the command line runs. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Standard output. */
  write(text: string): void;
  /** Standard error. */
  complain(text: string): void;
}

/** Runs one command; gives the exit code: 0 where all is well, 1 where it failed, 2 where it was not understood. */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { write, complain } = surroundings;
  try {
    const { values, positionals } = parse(args);
    if (positionals.length === 0) {
      (values.help ? write : complain)(overview());
      return values.help ? 0 : 2;
    }
    const command = find(positionals);
    if (values.help) {
      write(helpOf(command));
      return 0;
    }
    const parameters = positionals.slice(command.name.split(" ").length);
    checkParameters(command, parameters);
    const { text, json, exitCode = 0 } = await command.run(createContext(surroundings), parameters);
    if (values.json ? json !== undefined : text !== "") write(`${values.json ? JSON.stringify(json) : text}\n`);
    return exitCode;
  } catch (error) {
    complain(`${redact(explain(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

class UsageError extends CommandError {}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm passes on the "--" that npm wants.
      args: args[0] === "--" ? args.slice(1) : [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, json: { type: "boolean" } },
    });
  } catch (error) {
    throw new UsageError(`${messageOf(error)}. Options are --json and --help.`);
  }
}

function find(words: readonly string[]): Command {
  const command = commands.find(({ name }) => name.split(" ").every((word, at) => word === words[at]));
  if (command) return command;
  const typed = words.slice(0, 2).join(" ");
  const names = commands.map(({ name }) => name);
  const group = names.filter((name) => name.split(" ")[0] === words[0]);
  if (group.length > 0 && words.length === 1) throw new UsageError(`${words[0]} what? There are: ${group.join(", ")}.`);
  const meant = nearest(typed, names) ?? nearest(words[0] ?? "", names);
  throw new UsageError(
    `There is no command "${typed}". ${meant ? `Did you mean "${meant}"?` : "media-ops --help lists them."}`,
  );
}

function checkParameters(command: Command, given: readonly string[]): void {
  const needed = command.parameters.filter((parameter) => parameter.startsWith("<"));
  const missing = needed[given.length];
  if (missing) throw new UsageError(`${missing} is missing. Usage: ${usageOf(command)}`);
  const surplus = given[command.parameters.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one too many. Usage: ${usageOf(command)}`);
}

const usageOf = ({ name, parameters }: Command): string => ["media-ops", name, ...parameters].join(" ");

function overview(): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length));
  const lines = commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`);
  return `Runs and looks after the service.\n\n${lines.join("\n")}\n\nEach takes --help, and --json for an answer that programs can read.\n`;
}

function helpOf(command: Command): string {
  const more = command.help ? `\n\n${command.help}` : "";
  return `${usageOf(command)}\n\n${command.summary}${more}\n\n  --json  answer with one line of JSON\n  --help  show this\n`;
}

function createContext({ env, now }: Surroundings): Context {
  const config = () => readConfig(env);
  return {
    now,
    config,
    async withStorage(work) {
      const settings = config();
      const storage = await openStorage(settings.databaseUrl);
      try {
        return await work(storage, await openVault(settings, storage.query));
      } finally {
        await storage.close();
      }
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
