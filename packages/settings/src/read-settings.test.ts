import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigError, logLevel, masterKey, port, readSettings, webAddress, yesOrNo } from "./index.js";

const settings = z.object({
  APP_PORT: port.default(8080),
  APP_PUBLIC_URL: webAddress.optional(),
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

describe("settings", () => {
  it("are what they are by themselves where a variable is empty or missing, and others are passed over", () => {
    expect(readSettings(settings, { APP_PORT: "", APP_PUBLIC_URL: " ", APP_IS_OPEN: undefined, PATH: "/bin" })).toEqual(
      none,
    );
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
  ])("%j is read", (env, expected) => {
    expect(readSettings(settings, env)).toEqual({ ...none, ...expected });
  });

  it.each([
    [{ APP_PORT: "http" }, "APP_PORT is a number from 0 to 65535"],
    [{ APP_PORT: "-1" }, "APP_PORT is a number from 0 to 65535"],
    [{ APP_PORT: "1.5" }, "APP_PORT is a number from 0 to 65535"],
    [{ APP_PORT: "65536" }, "APP_PORT is a number from 0 to 65535"],
    [{ APP_PUBLIC_URL: "media.example" }, "APP_PUBLIC_URL is an address that begins with http:// or https://"],
    [{ APP_PUBLIC_URL: "ftp://media.example" }, "APP_PUBLIC_URL is an address that begins with http:// or https://"],
    [{ APP_PUBLIC_URL: "http://media.example/?a=1" }, "APP_PUBLIC_URL is an address without ? and #"],
    [{ APP_PUBLIC_URL: "http://media.example/#" }, "APP_PUBLIC_URL is an address without ? and #"],
    [{ APP_MASTER_KEY: "hunter2" }, "APP_MASTER_KEY is 32 bytes in base64 or hex: openssl rand -base64 32"],
    [{ APP_IS_OPEN: "maybe" }, "APP_IS_OPEN is true or false"],
    [{ APP_LOG_LEVEL: "loud" }, "APP_LOG_LEVEL is one of trace, debug, info, warn, error, fatal, silent"],
  ])("%j is refused with what it must be", (env, problem) => {
    expect(problemsOf(settings, env)).toEqual([problem]);
  });

  it("that are wrong are told all at once, with those that do not go together, and without their values", () => {
    const env = { APP_PORT: "hunter2", APP_MASTER_KEY: "hunter2", APP_PUBLIC_URL: "ftp://hunter2@media.example" };
    const problems = problemsOf(settings, env, () => ["APP_PORT goes without APP_MASTER_KEY"]);
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "APP_PORT",
      "APP_PUBLIC_URL",
      "APP_MASTER_KEY",
      "APP_PORT",
    ]);
    expect(problems.join()).not.toContain("hunter2");
    expect(new ConfigError(problems).message).toBe(`The settings are wrong:\n  ${problems.join("\n  ")}`);
  });

  it("that do not go together are refused, though each is right; an empty one goes with all", () => {
    const oneOf = (given: object): string[] =>
      "APP_PORT" in given && "APP_IS_OPEN" in given ? ["APP_PORT goes without APP_IS_OPEN"] : [];
    const both = { APP_PORT: "1", APP_IS_OPEN: "yes" };
    expect(problemsOf(settings, both, oneOf)).toEqual(["APP_PORT goes without APP_IS_OPEN"]);
    expect(problemsOf(settings, { ...both, APP_IS_OPEN: "" }, oneOf)).toEqual([]);
  });
});
