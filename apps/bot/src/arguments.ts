import { parseArgs } from "node:util";

/** What the bot is to do. */
type Asked =
  | { readonly kind: "start" }
  | { readonly kind: "help" }
  | { readonly kind: "migrate-store"; readonly from: string; readonly to: string };

/** What was typed cannot be understood; the message says what can be. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const MIGRATE = "media-bot migrate-store --from <sqlite:file> --to <postgres:address>";

const valueNames = new Map([
  ["from", "<sqlite:file>"],
  ["to", "<postgres:address>"],
]);

export const help = `media-bot
  Starts the bot. Its settings are in the environment, or in a file .env where it is started.

${MIGRATE}
  Copies everything from an SQLite file to PostgreSQL, and checks that it is the same.

  --from <sqlite:file>       what is copied, such as sqlite:./data/bot.db
  --to <postgres:address>    a database that no bot has used, such as postgres://media@db.example/media;
                             it may be the one of the service
  --help                     show this

Stop the bot first: what it would write meanwhile would be lost, and a file in use is refused.
It may be interrupted at any moment; the same command then goes on. The file stays as it is.
A password need not stand in the address, where others on this machine may see it: PGPASSWORD is read, too.
Ends with 1 unless every row is in PostgreSQL.
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
    options: { from: { type: "string" }, to: { type: "string" }, help: { type: "boolean", short: "h" } },
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
    if (name !== "help" && needed === undefined) {
      throw new UsageError(`There is no option ${rawName}. Options are --from, --to and --help.`);
    }
    // What begins with a dash is the next option: the value was forgotten.
    const isMissing = value === undefined || (!inlineValue && value.startsWith("-"));
    if (needed !== undefined && isMissing) throw new UsageError(`${rawName} needs a value: ${rawName} ${needed}.`);
    if (typed.filter((other) => other.name === name).length > 1) {
      throw new UsageError(`${rawName} is given twice. Give it once.`);
    }
  }
  const [command, surplus] = words;
  if (command !== undefined && command !== "migrate-store") {
    throw new UsageError(
      `There is no command "${command}". media-bot alone starts the bot; media-bot --help says more.`,
    );
  }
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one too many. Usage: ${MIGRATE}`);
  if (given.has("help")) return { kind: "help" };
  if (command === undefined && given.size === 0) return { kind: "start" };
  if (command === undefined) throw new UsageError(`What is to be done with it? Usage: ${MIGRATE}`);

  const [from, to] = [given.get("from"), given.get("to")];
  if (from === undefined) throw new UsageError("--from is missing: --from sqlite:./data/bot.db");
  if (to === undefined) throw new UsageError("--to is missing: --to postgres://media@db.example/media");
  return { kind: "migrate-store", from, to };
}
