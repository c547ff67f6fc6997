import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError } from "@media-ops/settings";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";

const house = join(import.meta.dirname, "../../../..");

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe("without any setting, the service", () => {
  it("listens on this machine alone and keeps an SQLite file", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      intakeHost: "127.0.0.1",
      intakePort: 8081,
      databaseUrl: "sqlite:./data/media.db",
      masterKey: undefined,
      masterKeyFile: undefined,
      publicUrl: undefined,
      upstreamUrl: undefined,
      listingsPerMinute: 600,
      tokensPerMinute: 6000,
      mediaApiOperations: undefined,
      mediaApiPerMinute: 600,
      allowPrivateWebhooks: false,
      maxLagMs: 500,
      listingCacheMb: undefined,
      logLevel: "info",
    });
  });

  it("takes an empty variable for none", () => {
    expect(readConfig({ MEDIA_PORT: "", MEDIA_PUBLIC_URL: " " })).toEqual(readConfig({}));
  });
});

describe("a setting", () => {
  it.each([
    [{ MEDIA_PORT: "9090" }, { port: 9090 }],
    [{ MEDIA_PUBLIC_URL: "https://media.example/api//" }, { publicUrl: "https://media.example/api" }],
    [{ MEDIA_LISTINGS_PER_MINUTE: "0" }, { listingsPerMinute: 0 }],
    [{ MEDIA_LISTING_CACHE_MB: "256" }, { listingCacheMb: 256 }],
    [{ MEDIA_MASTER_KEY: Buffer.alloc(32, 1).toString("base64") }, { masterKey: Buffer.alloc(32, 1) }],
    [{ MEDIA_MASTER_KEY: "01".repeat(32) }, { masterKey: Buffer.alloc(32, 1) }],
  ])("%j is read", (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  it.each([
    [{ MEDIA_PORT: "http" }, "MEDIA_PORT is a number from 0 to 65535"],
    [{ MEDIA_PORT: "65536" }, "MEDIA_PORT is a number from 0 to 65535"],
    [
      { MEDIA_INTAKE_PORT: "8080" },
      "MEDIA_INTAKE_PORT is another one than MEDIA_PORT: what listens there is for the inside alone",
    ],
    [{ MEDIA_PUBLIC_URL: "media.example" }, "MEDIA_PUBLIC_URL is an address that begins with http:// or https://"],
    [{ MEDIA_UPSTREAM_URL: "http://media.example/?a=1" }, "MEDIA_UPSTREAM_URL is an address without ? and #"],
    [{ MEDIA_TOKENS_PER_MINUTE: "-1" }, "MEDIA_TOKENS_PER_MINUTE is a number of calls a minute; 0 sets no limit"],
    [{ MEDIA_LISTING_CACHE_MB: "0" }, "MEDIA_LISTING_CACHE_MB is a whole number of megabytes, at least 1"],
    [{ MEDIA_LOG_LEVEL: "loud" }, "MEDIA_LOG_LEVEL is one of trace, debug, info, warn, error, fatal, silent"],
    [{ MEDIA_MASTER_KEY: "hunter2" }, "MEDIA_MASTER_KEY is 32 bytes in base64 or hex: openssl rand -base64 32"],
  ])("%j is refused with what it must be", (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  it("that is wrong is told together with all others, and without its value", () => {
    const env = { MEDIA_PORT: "http", MEDIA_MASTER_KEY: "hunter2", MEDIA_PUBLIC_URL: "ftp://hunter2@media.example" };
    expect(problemsOf(env)).toHaveLength(3);
    expect(() => readConfig(env)).toThrow(/MEDIA_PORT.*MEDIA_MASTER_KEY.*MEDIA_PUBLIC_URL/s);
    expect(problemsOf(env).join()).not.toContain("hunter2");
  });

  it("is listed in .env.example, every one, with the value that it has by itself", () => {
    const example = readFileSync(join(house, ".env.example"), "utf8");
    const uncommented = example.replaceAll(/^# ?(MEDIA_\w+=)/gm, "$1");
    const source = readFileSync(join(import.meta.dirname, "config.ts"), "utf8");
    const known = new Set(source.match(/MEDIA_[A-Z_]+/g));
    expect(Object.keys(parseEnv(uncommented)).sort()).toEqual([...known].sort());
    expect(readConfig(parseEnv(uncommented) as Record<string, string>)).toEqual(readConfig({}));
  });
});
