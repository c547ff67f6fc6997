import { PassThrough } from "node:stream";
import { run } from "../run.js";

/** What was seen at a terminal. */
interface Seen {
  code: number;
  /** The standard output and the standard error. */
  out: string;
  err: string;
}

/** Types a command at a terminal that is so many columns wide, in a process where nobody has logged in. */
export async function atTerminal(argv: readonly string[], columns: number, env: Record<string, string> = {}) {
  const seen: Seen = { code: 0, out: "", err: "" };
  const screen = (name: "out" | "err") => {
    const output = Object.assign(new PassThrough(), { isTTY: true, columns });
    return output.on("data", (chunk) => {
      seen[name] += chunk;
    });
  };
  seen.code = await run(argv, {
    stdin: Object.assign(new PassThrough(), { isTTY: true }),
    stdout: screen("out"),
    stderr: screen("err"),
    env,
    home: undefined,
    platform: "linux",
    now: Date.now,
    timeZone: () => "UTC",
    signal: new AbortController().signal,
  });
  return seen;
}
