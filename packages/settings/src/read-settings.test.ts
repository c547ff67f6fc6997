import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as kinds from "./index.js";

const { ConfigError, databaseUrl, logLevel, masterKey, port, readSettings, shownUrl, webAddress, yesOrNo } = kinds;

const settings = z.object({
  APP_PORT: port.default(8080),
  APP_PUBLIC_URL: webAddress.optional(),
  APP_DATABASE_URL: databaseUrl.optional(),
  APP_MASTER_KEY: masterKey.optional(),
  APP_IS_OPEN: yesOrNo.default(false),
  APP_LOG_LEVEL: logLevel.default("info"),
});
const none = { APP_PORT: 8080, APP_IS_OPEN: false, APP_LOG_LEVEL: "info" };

const problemsOf = (...args: Parameters<typeof readSettings>): readonly string[] => {
  try {
    readSettings(...args);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

const PORT = "be a number from 0 to 65535";
const MASTER_KEY = "be 32 bytes in base64 or hex (openssl rand -base64 32)";
const LEVEL = "be one of trace, debug, info, warn, error, fatal, silent";

describe("settings", () => {
  it("have defaults for empty or missing variables, and ignore other variables", () => {
    const env = { APP_PORT: "", APP_PUBLIC_URL: " ", APP_IS_OPEN: undefined, PATH: "/bin" };
    expect(readSettings(settings, env)).toEqual(none);
  });

  it.each([
    [{ APP_PORT: "0" }, { APP_PORT: 0 }],
    [{ APP_PORT: "65535" }, { APP_PORT: 65_535 }],
    [{ APP_PUBLIC_URL: "https://media.example/api//" }, { APP_PUBLIC_URL: "https://media.example/api" }],
    [{ APP_MASTER_KEY: Buffer.alloc(32, 1).toString("base64") }, { APP_MASTER_KEY: Buffer.alloc(32, 1) }],
    [{ APP_MASTER_KEY: "01".repeat(32) }, { APP_MASTER_KEY: Buffer.alloc(32, 1) }],
    [{ APP_IS_OPEN: "yes" }, { APP_IS_OPEN: true }],
    [{ APP_IS_OPEN: "0" }, { APP_IS_OPEN: false }],
    [{ APP_LOG_LEVEL: "silent" }, { APP_LOG_LEVEL: "silent" }],
  ])("%j parses", (env, expected) => {
    expect(readSettings(settings, env)).toEqual({ ...none, ...expected });
  });

  it.each([
    ...["http", "-1", "1.5", "1e3", "65536"].map((text) => ["PORT", text, `${PORT}, but is "${text}".`]),
    ["PORT", "x".repeat(2000), `${PORT}, but is "${"x".repeat(100)}…".`],
    ...["media.example", "ftp://media.example", "https:media.example", "http://media.example/#"].map((text) => [
      ...["PUBLIC_URL", text],
      `be a URL that begins with http:// or https://, without ? and #, but is "${text}".`,
    ]),
    [
      ...["DATABASE_URL", "mysql://root:hunter2@127.0.0.1/media"],
      'be sqlite:<file>, sqlite::memory: or postgres://user@host:5432/name, but is "mysql://root:[redacted]@127.0.0.1/media".',
    ],
    [
      ...["DATABASE_URL", "postgres://media:hunter2@db.example/media?connections=many"],
      'have a number from 2 to 1000 as its "connections", but is "postgres://media:[redacted]@db.example/media?connections=many".',
    ],
    [
      ...["DATABASE_URL", "sqlite:"],
      'have the path of a file behind sqlite:, as in sqlite:./data/media.db, but is "sqlite:".',
    ],
    ["MASTER_KEY", "hunter2", `${MASTER_KEY}, but is 7 characters long.`],
    ["MASTER_KEY", "mo_0123_hunter2", `${MASTER_KEY}, but is 15 characters long and begins with mo_.`],
    ["IS_OPEN", "maybe", 'be true or false, but is "maybe".'],
    ["LOG_LEVEL", "loud", `${LEVEL}, but is "loud".`],
    ["LOG_LEVEL", `mo_0123456789abcdef_${"x".repeat(43)}`, `${LEVEL}, but is "mo_0123456789abcdef_[redacted]".`],
  ])("APP_%s=%j is refused with the expected and the received value", (name, text, problem) => {
    expect(problemsOf(settings, { [`APP_${name}`]: text })).toEqual([`APP_${name} must ${problem}`]);
  });

  it.each([
    ["https://user:hunter2@media.example", '"https://user:[redacted]@media.example"'],
    ["https://hunter2@media.example", '"https://[redacted]@media.example"'],
    ["ftp://user:hun@ter:2/@media.example/?a=hunter2#b", '"ftp://user:[redacted]@media.example/?a=…#…"'],
    ["user:hunter2@media.example", '"user:[redacted]@media.example"'],
    ["mysql:u:hunter2@host/db?password=hunter2&connections=9", '"mysql:u:[redacted]@host/db?password=…&connections=9"'],
    ["media.example", '"media.example"'],
    ["a\u001b[2Jb", '"a\\u001b[2Jb"'],
  ])("the URL %s is shown without possible passwords", (url, expected) => {
    expect(shownUrl(url)).toBe(expected);
  });

  it("that are invalid are all reported together, with those that cannot be combined", () => {
    const env = {
      APP_PORT: "http",
      APP_MASTER_KEY: "hunter2",
      APP_PUBLIC_URL: "ftp://hunter2@media.example",
      APP_DATABASE_URL: "mysql://root:hunter2@127.0.0.1/media",
    };
    const problems = problemsOf(settings, env, () => ["APP_PORT goes without APP_MASTER_KEY"]);
    const names = problems.map((problem) => problem.split(" ")[0]);
    expect(names).toEqual(["APP_PORT", "APP_PUBLIC_URL", "APP_DATABASE_URL", "APP_MASTER_KEY", "APP_PORT"]);
    expect(problems.join()).not.toContain("hunter2");
    expect(new ConfigError(problems).message).toBe(`The settings are wrong:\n  ${problems.join("\n  ")}`);
  });

  it("that cannot be combined are refused, even if each is valid; an empty one never conflicts", () => {
    const oneOf = (given: object): string[] =>
      "APP_PORT" in given && "APP_IS_OPEN" in given ? ["APP_PORT goes without APP_IS_OPEN"] : [];
    const both = { APP_PORT: "1", APP_IS_OPEN: "yes" };
    expect(problemsOf(settings, both, oneOf)).toEqual(["APP_PORT goes without APP_IS_OPEN"]);
    expect(problemsOf(settings, { ...both, APP_IS_OPEN: "" }, oneOf)).toEqual([]);
  });
});
