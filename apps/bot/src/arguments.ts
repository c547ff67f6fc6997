import { parseArgs } from "node:util";

/** What the bot is to do. */
type Asked =
  | { readonly kind: "start"; readonly isNew: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "backup" | "restore"; readonly file: string }
  | { readonly kind: "migrate-store"; readonly from: string; readonly to: string };

/** What was typed cannot be understood; the message says what can be. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const usages = {
  backup: "media-bot backup <file>",
  restore: "media-bot restore <backup>",
  "migrate-store": "media-bot migrate-store --from <sqlite:file> --to <postgres:address>",
} as const;

type CommandName = keyof typeof usages;

const valueNames = new Map([
  ["from", "<sqlite:file>"],
  ["to", "<postgres:address>"],
]);
const switches = ["new", "help", "version"];
const OPTIONS = "Options are --new, --from, --to, --help and --version.";

/** How `media-bot` is used, at most 80 columns wide. */
export const help = `media-bot
  Starts the bot. Its settings are in the environment, or in a file .env where
  it is started.

  --new
      begin with an empty database, though a master key shows that there was one

${usages.backup}
  Writes a consistent copy of the SQLite database to a new file, while the bot
  goes on. The master key is not in it: keep that too, elsewhere.

${usages.restore}
  Puts a backup in the place of the SQLite database, and keeps what was there
  under a dated name. Stop the bot first: a database in use is refused. The
  backup is checked before anything is changed, and again in its place. It may
  be interrupted at any moment, and run again.

media-bot migrate-store
  Copies everything from an SQLite file to PostgreSQL, and checks that it is the
  same.

  --from <sqlite:file>
      what is copied, such as sqlite:./data/bot.db
  --to <postgres:address>
      a database that no bot has used, such as
      postgres://media@db.example/media; it may be the one of the service

  Stop the bot first: what it would write meanwhile would be lost, and a file in
  use is refused. It may be interrupted at any moment; the same command then
  goes on. The file stays as it is. A password need not stand in the address,
  where others on this machine may see it: PGPASSWORD is read, too. Ends with 1
  unless every row is in PostgreSQL.

  --help       show this
  --version    show name and version
`;

/**
 * Reads what was typed behind `media-bot`.
 *
 * @throws {UsageError} which says what was not understood, and what would be.
 */
export function readArguments(args: readonly string[]): Asked {
  const { tokens } = parseArgs({
    // pnpm passes on the "--" that npm wants.
    args: args[0] === "--" ? args.slice(1) : [...args],
    options: {
      from: { type: "string" },
      to: { type: "string" },
      new: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      version: { type: "boolean" },
    },
    // Its own complaints speak of positional arguments.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const typed = tokens.flatMap((token) => (token.kind === "option" ? [token] : []));
  const given = new Map(typed.map(({ name, value }) => [name, value]));

  for (const { name, rawName, value, inlineValue } of typed) {
    const needed = valueNames.get(name);
    if (needed === undefined && !switches.includes(name)) {
      throw new UsageError(`There is no option ${rawName}. ${OPTIONS}`);
    }
    // What begins with a dash is the next option: the value was forgotten.
    const isMissing = value === undefined || (!inlineValue && value.startsWith("-"));
    if (needed !== undefined && isMissing) throw new UsageError(`${rawName} needs a value: ${rawName} ${needed}.`);
    if (typed.filter((other) => other.name === name).length > 1) {
      throw new UsageError(`${rawName} is given twice. Give it once.`);
    }
  }
  const [command, file, surplus] = words;
  if (command !== undefined && !isCommand(command)) {
    throw new UsageError(
      `There is no command "${command}". media-bot alone starts the bot; media-bot --help says more.`,
    );
  }
  if (given.has("help")) return { kind: "help" };
  if (given.has("version")) return { kind: "version" };
  if (command === undefined) {
    if (given.size === 0 || (given.size === 1 && given.has("new"))) return { kind: "start", isNew: given.has("new") };
    throw new UsageError(`What is to be done with it? Usage: ${usages["migrate-store"]}`);
  }
  const [option] = given.has("new") ? ["new"] : command === "migrate-store" ? [] : given.keys();
  if (option !== undefined) throw new UsageError(`media-bot ${command} has no option --${option}.`);
  if (command === "migrate-store") return readMigration(file, given);
  if (file === undefined) throw new UsageError(`The file is missing. Usage: ${usages[command]}`);
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one too many. Usage: ${usages[command]}`);
  return { kind: command, file };
}

const isCommand = (word: string): word is CommandName => Object.hasOwn(usages, word);

function readMigration(surplus: string | undefined, given: ReadonlyMap<string, string | undefined>): Asked {
  if (surplus !== undefined) {
    throw new UsageError(`"${surplus}" is one too many. Usage: ${usages["migrate-store"]}`);
  }
  const [from, to] = [given.get("from"), given.get("to")];
  if (from === undefined) throw new UsageError("--from is missing: --from sqlite:./data/bot.db");
  if (to === undefined) throw new UsageError("--to is missing: --to postgres://media@db.example/media");
  return { kind: "migrate-store", from, to };
}
