import { readCommandLine } from "@media-ops/settings/command-line";

/** What the bot's command line asks for. */
type BotAction =
  | { readonly kind: "start"; readonly isNew: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "backup" | "restore"; readonly file: string }
  | { readonly kind: "migrate-store"; readonly from: string; readonly to: string };

/** The command line is wrong; the message says what is right. */
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
      { name: "from", value: "<sqlite:file>" },
      { name: "to", value: "<postgres:address>" },
    ],
    usage: "media-bot migrate-store --from <sqlite:file> --to <postgres:address>",
  },
] as const;

/** How `media-bot` is used, at most 80 columns wide. */
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
 * Reads what was typed after `media-bot`.
 *
 * @throws {UsageError} which says what is wrong, and what is right.
 */
export function readArguments(args: readonly string[]): BotAction {
  const { command, parameters, given, faults } = readCommandLine<(typeof commands)[number]>(args, {
    name: "media-bot",
    commands,
    options: [{ name: "new" }],
    commonOptions: [{ name: "help" }, { name: "version" }],
    usageOf: ({ usage }) => usage,
  });
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(fault);
  if (given.switches.has("help")) return { kind: "help" };
  if (given.switches.has("version")) return { kind: "version" };
  if (command === undefined) return { kind: "start", isNew: given.switches.has("new") };
  if (command.name !== "migrate-store") return { kind: command.name, file: parameters[0] ?? "" };
  const { from, to } = given.values;
  if (from === undefined) throw new UsageError("Missing --from: --from sqlite:./data/bot.db");
  if (to === undefined) throw new UsageError("Missing --to: --to postgres://media@db.example/media");
  return { kind: "migrate-store", from, to };
}
