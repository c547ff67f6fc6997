import type { TimeOptions } from "@media-ops/formatters";
import type { Flags } from "./flags.js";

/** What every command works with. */
export interface Session {
  world: World;
  flags: Flags;
  /** How what goes to the standard output is to be drawn, as its window is now. */
  readonly screen: Screen & TimeOptions;
  /** How what goes to the standard error is to be drawn. */
  readonly aside: Screen & TimeOptions;
  /** What was asked for: nothing else goes to the standard output, so that it can be piped. */
  print(text: string): void;
  /** The same without a line's end. */
  write(text: string): void;
  /** A sentence beside it: headings, hints and questions. */
  say(sentence: string): void;
  /** The same for what has been drawn already. */
  show(drawn: string): void;
}

export function openSession(world: World, flags: Flags): Session {
  const { stdout, stderr, env } = world;
  const now = world.now();
  const times = (): TimeOptions => ({ now, timeZone: flags.utc ? "UTC" : world.timeZone() });
  return {
    world,
    flags,
    get screen() {
      return { ...screenOf(stdout, env), ...times() };
    },
    get aside() {
      return { ...screenOf(stderr, env), ...times() };
    },
    print: (text) => void stdout.write(`${text}\n`),
    write: (text) => void stdout.write(text),
    say: (sentence) => void stderr.write(`${wrap(sentence, screenOf(stderr, env))}\n`),
    show: (drawn) => void stderr.write(`${drawn}\n`),
  };
}

/** All that a command touches: handed in, so that a test can hand in its own. */
export interface World {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream & Pick<NodeJS.WriteStream, "isTTY" | "columns">;
  stderr: NodeJS.WritableStream & Pick<NodeJS.WriteStream, "isTTY" | "columns">;
  env: NodeJS.ProcessEnv;
  /** The user's home folder, where there is one. */
  home: string | undefined;
  platform: NodeJS.Platform;
  /** The present in milliseconds since 1970. */
  now(): number;
  /** The user's zone, by its IANA name. Asked for only where a time is read or shown: it takes as long as all of the help. */
  timeZone(): string;
  /** Aborted when whoever typed the command stops it. */
  signal: AbortSignal;
}

/** What a command is told about where its output goes. */
interface Screen {
  /** Columns of a line; without end where nobody looks at it but a program. */
  width: number;
  color: boolean;
}

type Output = Pick<NodeJS.WriteStream, "isTTY" | "columns">;

/** What a terminal has that does not know how wide it is. */
const USUAL = 80;

/** How output is to be drawn. `COLUMNS`, `NO_COLOR` and `FORCE_COLOR` are heard; a pipe gets whole lines without colour. */
export function screenOf(output: Output, env: NodeJS.ProcessEnv): Screen {
  const wanted = Math.floor(Number(env.COLUMNS));
  const width = output.isTTY ? output.columns || USUAL : Number.POSITIVE_INFINITY;
  return { width: wanted >= 1 ? wanted : width, color: wantsColor(output, env) };
}

function wantsColor({ isTTY }: Output, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return Boolean(isTTY) && env.TERM !== "dumb";
}

interface WrapOptions {
  /** Columns of a line; `Infinity` where lines have no end. */
  width: number;
  /** How far each line but the first is moved to the right. @default 0 */
  indent?: number;
}

/**
 * A text in lines, broken between words. A word that is wider than a line stays whole, so that an address or a path can
 * still be copied.
 */
export function wrap(text: string, { width, indent = 0 }: WrapOptions): string {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    const room = lines.length === 0 ? width : width - indent;
    if (line === undefined || longer.length <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""].join(`\n${" ".repeat(indent)}`);
}
