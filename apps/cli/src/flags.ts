import { CliError } from "./errors.js";

/** What stands before or among the words of a command, and concerns the terminal alone. */
export interface Flags {
  /** Output for programs: JSON, or JSON lines. */
  json: boolean;
  /** Which profile is meant. */
  profile?: string;
  /** Times in UTC, and not in the user's zone. */
  utc: boolean;
  help: boolean;
  version: boolean;
}

/** Where none was given. */
export const noFlags: Flags = { json: false, utc: false, help: false, version: false };

/** Each flag, with what it does; the help is made from it. */
export const flagTable = [
  { name: "--json", about: "JSON for programs: one value, or one line for each entry" },
  { name: "--profile", value: "<name>", about: "use this profile; else MEDIA_PROFILE, MEDIA_API_KEY, the last login" },
  { name: "--utc", about: "write times in UTC" },
  { name: "--help", about: "help on the command before it" },
  { name: "--version", about: "the version; also -V, and media version" },
] as const;

/**
 * Takes the flags out of what was typed; what is left are the words of the language. Behind `--` all are words.
 *
 * @throws {CliError} where there is no such flag, or one lacks its value.
 */
export function takeFlags(argv: readonly string[]): { flags: Flags; words: string[] } {
  const flags: Flags = { ...noFlags };
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return { flags, words: [...words, ...argv.slice(at + 1)] };
    // What other programs take: media -V, media version.
    if (word === "-V" || (word === "version" && argv.length === 1))
      return { flags: { ...flags, version: true }, words };
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) words.push(word);
    else if (name === "profile") flags.profile = profileIn(value ?? argv[++at]);
    else if (name === "json" || name === "utc" || name === "help" || name === "version") {
      if (value !== undefined) throw new CliError(`--${name} takes no value.`, 2);
      flags[name] = true;
    } else unknown(name);
  }
  return { flags, words };
}

/** What stands behind `--profile`; the next flag is no name. */
function profileIn(value: string | undefined): string {
  if (!value || value.startsWith("--")) throw new CliError("--profile needs a value: --profile <name>", 2);
  return value;
}

function unknown(name: string): never {
  const known = flagTable.map((flag) => flag.name).join(", ");
  throw new CliError(
    `There is no --${name}. There is ${known}; all else is written without dashes, such as since:2h.`,
    2,
  );
}

/** Each variable of the environment that is heard, with what it says; the help is made from it. */
export const variables = [
  ["MEDIA_PROFILE", "the profile to use, where --profile names none"],
  ["MEDIA_API_KEY", "the API key, where no profile is named; comes before the last login"],
  ["MEDIA_BASE_URL", "the service's address for that key; http://127.0.0.1:8080 by itself"],
  ["MEDIA_PROJECT_ID", "that key's project: a channel can then be named without @<project>"],
  ["NO_COLOR", "set to anything: no colours; FORCE_COLOR: colours also in a pipe"],
  ["COLUMNS", "how wide the output is to be"],
  ["XDG_CONFIG_HOME", "the folder for profiles; ~/.config by itself"],
  ["MEDIA_DEBUG", "set to anything: says where in media a mistake is"],
] as const;
