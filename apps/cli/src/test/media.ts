import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type AtEnd, temporaryFolder } from "./service.js";

/** What the command `media` did. */
export interface Ended {
  code: number | null;
  /** The standard output. */
  out: string;
  /** The standard error. */
  err: string;
}

export interface MediaOptions {
  env?: Record<string, string>;
  /** What is typed, where it is not a terminal that types. */
  input?: string;
}

/** The command as it is published. */
export const main = join(import.meta.dirname, "../../dist/main.js");

/** A user with an empty home, at a place where no one has logged in yet. */
export async function newUser(env: Record<string, string> = {}, atEnd?: AtEnd) {
  const home = await temporaryFolder(atEnd);
  const surroundings = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC", ...env };
  const start = (args: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [main, ...args], { env: { ...surroundings, ...more } });
  return {
    home,
    start,
    /** Types a command and waits for its end. */
    async media(args: readonly string[], { env: more, input = "" }: MediaOptions = {}): Promise<Ended> {
      const child = start(args, more);
      child.stdin.end(input);
      const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      return { code, out, err };
    },
  };
}
