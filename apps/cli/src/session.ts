import { once } from "node:events";
import type { TimeOptions } from "@media-ops/formatters";
import type { Flags } from "./flags.js";

type Output = Pick<NodeJS.WriteStream, "isTTY" | "columns"> & { rows?: number };

/** Everything outside the process that a command uses, so that tests can replace it. */
export interface World {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & Output;
  stderr: NodeJS.WritableStream & Output;
  env: NodeJS.ProcessEnv;
  /** The user's home folder, if any. */
  home: string | undefined;
  platform: NodeJS.Platform;
  /** The user of the machine and its name, `ann@laptop`; undefined if the system does not know them. */
  account: string | undefined;
  /** The current time in milliseconds since 1970. */
  now(): number;
  /**
   * The user's time zone, by its IANA name. Called only for times, because it takes as long as printing the whole help.
   */
  timeZone(): string;
  /** Aborted when the user stops the command. */
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
  /** How to draw on the standard error. */
  readonly aside: Screen & TimeOptions;
  /** Writes a result to the standard output, which contains only results and can be piped. */
  print(text: string): void;
  /** The same without a line end. */
  write(text: string): void;
  /** Writes a part of a long result, and waits until the reader has taken enough of it. */
  deliver(text: string): Promise<void>;
  /** Writes a sentence to the standard error: headings, hints and questions. */
  say(sentence: string): void;
  /** The same for text with its own line breaks. */
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

/**
 * Breaks a text into lines between words; all but the first are indented. A word that is wider than a line stays whole,
 * so that addresses and paths can be copied.
 */
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
