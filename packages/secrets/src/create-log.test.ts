import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createLog, type LogOptions } from "./index.js";

const secret = "CorrectHorse8batteryStaple";
const apiKey = `mo_k1_${secret}`;

/** A log, and the lines that it has written. */
function newLog(options?: Partial<LogOptions>) {
  const lines: string[] = [];
  const log = createLog({ level: "trace", to: { write: (line) => void lines.push(line) }, ...options });
  return { log, lines };
}

it("a log line holds no secret, in any position", () => {
  const { log, lines } = newLog();
  const error = new Error(`cannot use ${apiKey}`, { cause: new Error(`because of ${apiKey}`) });
  log.error({ err: error, headers: { authorization: `Bearer ${secret}` } }, `key ${apiKey}`);
  log.child({ key: apiKey }).info("%s", apiKey);
  expect(lines).toHaveLength(2);
  expect(lines.join("")).not.toContain(secret);
});

it("a log line is JSON with the name of its level and its time", () => {
  const { log, lines } = newLog();
  log.warn({ project: "demo" }, "late");
  const { time, ...rest } = JSON.parse(lines.join(""));
  expect(rest).toEqual({ level: "warn", project: "demo", msg: "late" });
  expect(new Date(time).toISOString()).toBe(time);
});

it("nothing below the level is logged", () => {
  const { log, lines } = newLog({ level: "warn" });
  log.info("quiet");
  expect(lines).toEqual([]);
});

it("a program can redact further secrets", () => {
  const { log, lines } = newLog({ redact: (line) => line.replaceAll("hunter2", "[redacted]") });
  log.info({ key: "hunter2" }, "hunter2");
  expect(lines.join("")).toMatch(/"key":"\[redacted\]","msg":"\[redacted\]"/);
});

it("a log on a full disk loses lines, and does not end the program", async () => {
  const program = `import { createLog } from ${JSON.stringify(import.meta.resolve("@media-ops/secrets"))};
    const log = createLog({ level: "info" });
    for (let line = 0; line < 50_000; line++) log.info("a line of the log");
    setTimeout(() => process.stderr.write("alive"), 10);`;
  const command = 'exec "$0" --input-type=module --eval "$1" >/dev/full';
  const ended = promisify(execFile)("sh", ["-c", command, process.execPath, program]);
  expect(await ended).toMatchObject({ stderr: "alive" });
});
