import { spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect } from "vitest";
import { run } from "../run.js";
import type { World } from "../session.js";
import { type AtEnd, temporaryFolder } from "./service.js";

/** The result of the command `media`. */
export interface Ended {
  code: number;
  /** The standard output. */
  out: string;
  /** The standard error. */
  err: string;
}

export interface MediaOptions {
  env?: Record<string, string>;
  /** The lines of the standard input, which is not a terminal. */
  input?: string;
}

/** The published command. */
export const main = join(import.meta.dirname, "../../dist/main.js");

/** A command that was started and may still run. */
export interface Started {
  /** The standard output and the standard error so far. */
  out(): string;
  err(): string;
  /** Stops the command like Ctrl-C. */
  stop(): void;
  ended: Promise<Ended>;
}

/** An output that is captured; without a width it is a pipe. */
function capture(write: (text: string) => void, columns?: number, rows = 24) {
  const output = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  return Object.assign(output, { isTTY: columns !== undefined, columns: columns ?? 0, rows });
}

interface Surroundings extends Pick<World, "stdin" | "home" | "env" | "platform"> {
  /** The width of the terminal. @default the outputs are pipes */
  columns?: number;
  rows?: number;
}

/** Starts a command in this process. */
function launch(argv: readonly string[], { columns, rows, ...own }: Surroundings): Started {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err") =>
    capture(
      (text) => {
        written[name] += text;
      },
      columns,
      rows,
    );
  const stopped = new AbortController();
  const code = run(argv, {
    ...own,
    stdout: output("out"),
    stderr: output("err"),
    account: "ann@laptop",
    now: Date.now,
    timeZone: () => "UTC",
    signal: stopped.signal,
  });
  return {
    out: () => written.out,
    err: () => written.err,
    stop: () => stopped.abort(),
    ended: code.then((code) => ({ code, ...written })),
  };
}

interface TerminalOptions {
  columns: number;
  rows?: number;
  env?: Record<string, string>;
}

/** A command at a terminal, which can ask its user. */
export interface AtTerminal extends Started {
  /** Types a text, once the command shows another on the standard error. */
  answer(question: string, text: string): Promise<void>;
}

/** Starts a command at a terminal, without a home folder. */
export function startAtTerminal(argv: readonly string[], { env = {}, ...size }: TerminalOptions): AtTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const started = launch(argv, { stdin, env, home: undefined, platform: "linux", ...size });
  return {
    ...started,
    async answer(question, text) {
      await expect.poll(started.err).toContain(question);
      stdin.write(text);
    },
  };
}

/** Runs a command at a terminal with this many columns to its end. */
export function atTerminal(argv: readonly string[], columns: number, env: Record<string, string> = {}): Promise<Ended> {
  return startAtTerminal(argv, { columns, env }).ended;
}

/** A user with an empty home folder, who runs `media` in this process. */
export async function newUser(env: Record<string, string> = {}, atEnd?: AtEnd) {
  const home = await temporaryFolder(atEnd);
  const start = (args: readonly string[], { env: more, input = "" }: MediaOptions = {}): Started => {
    const stdin = new PassThrough();
    stdin.end(input);
    return launch(args, { stdin, home, env: { ...env, ...more }, platform: process.platform });
  };
  return {
    home,
    start,
    /** Runs a command to its end. */
    media: (args: readonly string[], options?: MediaOptions): Promise<Ended> => start(args, options).ended,
    /** Starts the published command in a process of its own. */
    spawn: (args: readonly string[]) =>
      spawn(process.execPath, [main, ...args], {
        env: { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", ...env },
      }),
  };
}
