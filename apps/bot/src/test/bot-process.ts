import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { databaseUrl } from "@media-ops/test-databases";
import { onTestFinished } from "vitest";
import { MASTER_KEY, temporaryFolder } from "./storage.js";

const main = join(import.meta.dirname, "../../dist/main.js");

/**
 * The bot as it is run, with nothing in its environment but these variables.
 *
 * @param flags Options of Node, such as the size of its heap.
 * @param maxOpenFiles How many file descriptors it may have. @default as many as the test
 */
export async function runBot(env: Record<string, string>, flags: readonly string[] = [], maxOpenFiles?: number) {
  const folder = await temporaryFolder();
  const limit = maxOpenFiles === undefined ? "" : `ulimit -n ${maxOpenFiles}; `;
  const child = spawn("sh", ["-c", `${limit}exec "$@"`, "sh", process.execPath, ...flags, main], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? "",
      BOT_PORT: "0",
      BOT_DATABASE_URL: await databaseUrl(),
      BOT_MASTER_KEY: MASTER_KEY,
      ...env,
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  let out = "";
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const lines = createInterface(child.stdout);
  const line = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      lines.on("line", (text) => {
        out += `${text}\n`;
        const found = pattern.exec(text);
        if (found) resolve(found);
      });
      child.once("exit", () => reject(new Error(`The bot ended before it said ${pattern}: ${out}${err}`)));
    });
  return { child, ended, line, said: () => ({ out, err }) };
}
