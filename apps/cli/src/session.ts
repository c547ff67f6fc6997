import { once } from "node:events";
import type { TimeOptions } from "@media-ops/formatters";

/** The exit code after Ctrl-C, as in shells. */
export const STOPPED = 130;

/** The exit code of an unsuccessful command: 1 failed, 2 not understood, 130 stopped. */
export type FailureCode = 1 | 2 | typeof STOPPED;

/** An error whose message is shown to the user unchanged. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: FailureCode;

  /** @param exitCode 1 if something failed, 2 if the command cannot work as typed. */
  constructor(message: string, exitCode: FailureCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The system's message about a file, without the path. */
export function systemReason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/s, "") : String(error);
}

/** The options of the terminal, which may stand before or among the words of a command. */
export interface Flags {
  json: boolean;
  profile?: string;
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

/** Separates flags from words, as all after `--` are; throws {@link CliError} for an invalid flag. */
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

type Output = Pick<NodeJS.WriteStream, "isTTY" | "columns"> & { rows?: number };

/** Everything outside the process that a command uses, so that tests can replace it. */
export interface World {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & Output;
  stderr: NodeJS.WritableStream & Output;
  env: NodeJS.ProcessEnv;
  home: string | undefined;
  platform: NodeJS.Platform;
  /** The user of the machine and its name, `ann@laptop`; undefined if the system does not know them. */
  account: string | undefined;
  now(): number;
  /** The user's time zone, by its IANA name; slow, so it is called only for times. */
  timeZone(): string;
  signal: AbortSignal;
}

// The service stores 255 visible ASCII characters.
const LONGEST = 255;

/** The name by which the service stores what this user requests: `cli:ann@laptop`. */
export function requesterOf({ account = "unknown" }: Pick<World, "account">): string {
  const plain = account.normalize("NFKD").replace(/\p{M}/gu, "");
  return `cli:${plain.replace(/[^!-~]/gu, "?")}`.slice(0, LONGEST);
}

/** The shared context of all commands. */
export interface Session {
  world: World;
  flags: Flags;
  /** How to draw on the standard output, at the current width of its window. */
  readonly screen: Screen & TimeOptions;
  readonly aside: Screen & TimeOptions;
  /** Writes a result to the standard output, which contains only results and can be piped. */
  print(text: string): void;
  write(text: string): void;
  /** Writes a part of a long result, and waits until the reader has taken enough of it. */
  deliver(text: string): Promise<void>;
  /** Writes a sentence to the standard error: headings, hints and questions. */
  say(sentence: string): void;
  show(drawn: string): void;
}

/** Starts the session of one command. */
export function openSession(world: World, flags: Flags): Session {
  const { stdout, stderr, env } = world;
  const now = world.now();
  const screen = (output: Output) => ({
    ...screenOf(output, env),
    now,
    timeZone: flags.utc ? "UTC" : world.timeZone(),
  });
  return {
    world,
    flags,
    get screen() {
      return screen(stdout);
    },
    get aside() {
      return screen(stderr);
    },
    print: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    deliver: async (text) => {
      if (!stdout.write(text)) await once(stdout, "drain", { signal: world.signal });
    },
    say: (sentence) => void stderr.write(`${wrap(sentence, screenOf(stderr, env))}\n`),
    show: (drawn) => void stderr.write(`${drawn}\n`),
  };
}

interface Screen {
  /** The columns of a line; `Infinity` for a program that reads the output. */
  width: number;
  color: boolean;
}

/** The width of a terminal that does not report one. */
const USUAL_WIDTH = 80;

/** How to draw on an output. `COLUMNS`, `NO_COLOR` and `FORCE_COLOR` apply; a pipe has whole lines without colour. */
export function screenOf({ isTTY = false, columns }: Output, env: NodeJS.ProcessEnv): Screen {
  const requested = Math.floor(Number(env.COLUMNS));
  const width = isTTY ? columns || USUAL_WIDTH : Number.POSITIVE_INFINITY;
  const usual = env.FORCE_COLOR ? env.FORCE_COLOR !== "0" : isTTY && env.TERM !== "dumb";
  return { width: requested >= 1 ? requested : width, color: !env.NO_COLOR && usual };
}

/** Breaks a text into lines, indented after the first; wide words stay whole, so that they can be copied. */
export function wrap(text: string, { width, indent = 0 }: { width: number; indent?: number }): string {
  const [first = "", ...words] = text.split(" ");
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= (lines.length === 1 ? width : width - indent)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
