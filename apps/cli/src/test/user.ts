import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { run } from "../run.js";
import type { World } from "../session.js";

/** Registers a cleanup: `onTestFinished`, or that of `closeAfterAll`. */
export type AtEnd = (clear: () => Promise<void>) => void;

/** A folder that is deleted after the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-cli-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The published command. */
export const main = join(import.meta.dirname, "../../dist/main.js");

/** The result of the command `media`: its exit code, standard output and standard error. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** What a command prints that succeeds, and says nothing on the standard error. */
export async function outOf(ended: Promise<Ended>): Promise<string> {
  const { code, out, err } = await ended;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
}

/** What a command says that fails with this code, and prints nothing. */
export async function errOf(ended: Promise<Ended>, expected = 1): Promise<string> {
  const { code, out, err } = await ended;
  expect({ code, out }).toEqual({ code: expected, out: "" });
  return err;
}

/** A command that was started and may still run. */
export interface Started {
  /** The standard output and the standard error so far. */
  out(): string;
  err(): string;
  /** Stops the command like Ctrl-C. */
  stop(): void;
  ended: Promise<Ended>;
}

interface Window {
  /** The width of the terminal. @default the outputs are pipes */
  columns?: number;
  rows?: number;
}

/** Starts a command in this process. */
function launch(argv: readonly string[], own: Pick<World, "stdin" | "home" | "env">, window: Window = {}): Started {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err") =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          written[name] += chunk;
          done();
        },
      }),
      { isTTY: window.columns !== undefined, columns: 0, rows: 24, ...window },
    );
  const stopped = new AbortController();
  const code = run(argv, {
    ...own,
    stdout: output("out"),
    stderr: output("err"),
    platform: process.platform,
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

/** Starts a command at a terminal, without a home folder. */
export function startAtTerminal(
  argv: readonly string[],
  { env = {}, ...window }: Window & { env?: Record<string, string> },
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const started = launch(argv, { stdin, env, home: undefined }, window);
  /** Types a text, once the command shows another on the standard error. */
  async function answer(question: string, text: string): Promise<void> {
    await expect.poll(started.err).toContain(question);
    stdin.write(text);
  }
  return { ...started, answer };
}

/** Runs a command at a terminal with this many columns to its end. */
export function atTerminal(argv: readonly string[], columns: number, env: Record<string, string> = {}): Promise<Ended> {
  return startAtTerminal(argv, { columns, env }).ended;
}

interface MediaOptions {
  env?: Record<string, string>;
  /** The lines of the standard input, which is not a terminal. */
  input?: string;
}

/** A user with an empty home folder, who runs `media` in this process. */
export async function newUser(env: Record<string, string> = {}, atEnd?: AtEnd) {
  const home = await temporaryFolder(atEnd);
  const start = (args: readonly string[], { env: more, input = "" }: MediaOptions = {}): Started => {
    const stdin = new PassThrough();
    stdin.end(input);
    return launch(args, { stdin, home, env: { ...env, ...more } });
  };
  return {
    home,
    start,
    /** Runs a command to its end. */
    media: (args: readonly string[], options?: MediaOptions): Promise<Ended> => start(args, options).ended,
    /** The same with the words alone. */
    run: (...words: string[]): Promise<Ended> => start(words).ended,
    /** Starts the published command in a process of its own. */
    spawn: (args: readonly string[]) =>
      spawn(process.execPath, [main, ...args], {
        env: { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", ...env },
      }),
  };
}
