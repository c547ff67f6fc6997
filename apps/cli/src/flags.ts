import { CliError } from "./errors.js";

/** The options of the terminal, which may stand before or among the words of a command. */
export interface Flags {
  /** Output for programs: JSON, or JSON lines. */
  json: boolean;
  /** The profile to use. */
  profile?: string;
  /** Times in UTC instead of the user's zone. */
  utc: boolean;
  /** How often `media live` shows who is connected, in milliseconds. @default once */
  watch?: number;
  /** Whether a command that acts is confirmed already. */
  yes: boolean;
  help: boolean;
  version: boolean;
}

/** The flags of a command without any. */
export const noFlags: Flags = { json: false, utc: false, yes: false, help: false, version: false };

interface Flag {
  name: string;
  /** Its value in words, as it must be typed behind the name. */
  value?: string;
  /** The only commands that take it. @default all commands take it */
  commands?: readonly string[];
  about: string;
}

/** The flags, for the help and for completion. */
export const flagTable: readonly Flag[] = [
  { name: "--json", about: "JSON for programs: one value, or one line per entry" },
  { name: "--profile", value: " <name>", about: "the profile; default: MEDIA_PROFILE, MEDIA_API_KEY, the last login" },
  { name: "--utc", about: "show times in UTC" },
  {
    name: "--watch",
    value: "[=<seconds>]",
    commands: ["live"],
    about: "with live: show it again every 2 seconds, or as many as given, until Ctrl-C",
  },
  {
    name: "--yes",
    commands: ["revoke", "resend", "enable", "disconnect"],
    about: "run revoke, resend, enable or disconnect without the question; needed without a terminal",
  },
  { name: "--help", about: "show help for the command" },
  { name: "--version", about: "show the version; also -V, and media version" },
];

/** Whether a command takes a flag that others do not. */
export function isFlagOf({ commands }: Flag, command: string): boolean {
  return commands?.includes(command) ?? false;
}

/** The environment variables, for the help. */
export const variables = [
  ["MEDIA_PROFILE", "the profile, if --profile is not set"],
  ["MEDIA_API_KEY", "the API key, if no profile is set; precedes the last login"],
  ["MEDIA_BASE_URL", "the service's address for that key; default: http://127.0.0.1:8080"],
  ["MEDIA_PROJECT_ID", "that key's project, so that a channel needs no @<project>"],
  ["NO_COLOR", "any value: no colours; FORCE_COLOR: colours also in a pipe"],
  ["COLUMNS", "the width of the output"],
  ["XDG_CONFIG_HOME", "the folder for profiles; default: ~/.config"],
  ["MEDIA_JOIN_URL", "a link for joining, shown with a token: https://meet.example.com/{channel}#token={token}"],
  ["MEDIA_DEBUG", "any value: show where in media an error occurred"],
] as const;

/**
 * Separates the flags from the words of the command. Everything after `--` is a word.
 *
 * @throws {CliError} for an unknown flag or a missing value.
 */
export function takeFlags(argv: readonly string[]): { flags: Flags; words: string[] } {
  const flags: Flags = { ...noFlags };
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") return { flags, words: [...words, ...argv.slice(at + 1)] };
    if (word === "-V" || (word === "version" && argv.length === 1)) {
      return { flags: { ...flags, version: true }, words };
    }
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) words.push(word);
    else if (name === "watch") flags.watch = watchIn(value);
    else if (name === "profile") {
      flags.profile = value ?? argv[++at] ?? "";
      if (/^(--|$)/.test(flags.profile)) throw new CliError("--profile needs a value: --profile <name>", 2);
    } else if (name === "json" || name === "utc" || name === "yes" || name === "help" || name === "version") {
      if (value !== undefined) throw new CliError(`--${name} takes no value.`, 2);
      flags[name] = true;
    } else {
      const known = flagTable.map((flag) => flag.name).join(", ");
      throw new CliError(`Unknown flag --${name}. Flags are ${known}; options have no dashes, such as since:2h.`, 2);
    }
  }
  return { flags, words };
}

// The service allows 600 such calls a minute.
const LEAST_SECONDS = 0.5;
const MOST_SECONDS = 3600;

function watchIn(value = "2"): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : 0;
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return seconds * 1000;
  const range = `from ${LEAST_SECONDS} to ${MOST_SECONDS}`;
  throw new CliError(`--watch takes seconds ${range}, not ${JSON.stringify(value)}, such as --watch=5.`, 2);
}
