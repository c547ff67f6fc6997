import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError } from "@media-ops/settings";
import { describe, expect, it } from "vitest";
import { readConfig, shareOpenFiles } from "./config.js";

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

describe("without settings, the service", () => {
  it("listens only on this machine, and stores its data in an SQLite file", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      intakeHost: "127.0.0.1",
      intakePort: 8081,
      internalHosts: [],
      databaseUrl: "sqlite:./data/media.db",
      masterKey: undefined,
      masterKeyFile: undefined,
      publicUrl: undefined,
      upstreamUrl: undefined,
      listingsPerMinute: 600,
      searchesPerMinute: 60,
      tokensPerMinute: 6000,
      mediaApiOperations: ["DisconnectChannel", "DisconnectConnection", "ListChannelConnections"],
      mediaApiPerMinute: 600,
      allowPrivateWebhooks: false,
      maxLagMs: 500,
      listingCacheMb: undefined,
      maxConnections: undefined,
      maxConnectionsPerAddress: undefined,
      logLevel: "info",
    });
  });

  it("treats an empty variable as not set", () => {
    expect(readConfig({ MEDIA_PORT: "", MEDIA_PUBLIC_URL: " " })).toEqual(readConfig({}));
  });
});

describe("a setting", () => {
  it.each([
    [{ MEDIA_PORT: "9090" }, { port: 9090 }],
    [{ MEDIA_PUBLIC_URL: "https://media.example/api//" }, { publicUrl: "https://media.example/api" }],
    [{ MEDIA_LISTINGS_PER_MINUTE: "0" }, { listingsPerMinute: 0 }],
    [{ MEDIA_INTERNAL_HOSTS: "media.svc, Media.corp.example" }, { internalHosts: ["media.svc", "media.corp.example"] }],
    [{ MEDIA_LISTING_CACHE_MB: "256" }, { listingCacheMb: 256 }],
    [{ MEDIA_MASTER_KEY: "01".repeat(32) }, { masterKey: Buffer.alloc(32, 1) }],
  ])("%j is read", (env, expected) => {
    expect(readConfig(env)).toMatchObject(expected);
  });

  it.each([
    [
      { MEDIA_INTAKE_PORT: "8080" },
      "MEDIA_INTAKE_PORT must differ from MEDIA_PORT, but both are 8080: only the first is internal.",
    ],
    [
      { MEDIA_PORT: "9000", MEDIA_INTAKE_PORT: "9000" },
      "MEDIA_INTAKE_PORT must differ from MEDIA_PORT, but both are 9000: only the first is internal.",
    ],
    [
      { MEDIA_TOKENS_PER_MINUTE: "-1" },
      'MEDIA_TOKENS_PER_MINUTE must be a number of calls a minute (0 sets no limit), but is "-1".',
    ],
    [{ MEDIA_MAX_LAG_MS: "1s" }, 'MEDIA_MAX_LAG_MS must be a number of milliseconds (0 sheds no load), but is "1s".'],
    [
      { MEDIA_MEDIA_API_OPERATIONS: "DisconnectChannel;ListChannels" },
      'MEDIA_MEDIA_API_OPERATIONS must be a list of names such as DisconnectChannel,ListChannelConnections, but is "DisconnectChannel;ListChannels".',
    ],
    [
      { MEDIA_INTERNAL_HOSTS: "http://media.svc:8081" },
      'MEDIA_INTERNAL_HOSTS must be a list of host names without ports, such as media.default.svc,media.corp.example, but is "http://media.svc:8081".',
    ],
    [
      { MEDIA_LISTING_CACHE_MB: "0" },
      'MEDIA_LISTING_CACHE_MB must be a whole number of megabytes, at least 1, but is "0".',
    ],
    [
      { MEDIA_MASTER_KEY: "5".repeat(64), MEDIA_MASTER_KEY_FILE: "./key" },
      "MEDIA_MASTER_KEY and MEDIA_MASTER_KEY_FILE are both set. Set one of them.",
    ],
  ])("%j is refused with its value and what is expected", (env, problem) => {
    expect(problemsOf(env)).toEqual([problem]);
  });

  it("is listed in .env.example with its default value", () => {
    const example = readFileSync(join(house, ".env.example"), "utf8");
    const uncommented = example.replaceAll(/^# ?(MEDIA_\w+=)/gm, "$1");
    const source = readFileSync(join(import.meta.dirname, "config.ts"), "utf8");
    const known = new Set(source.match(/MEDIA_[A-Z_]+/g));
    expect(Object.keys(parseEnv(uncommented)).sort()).toEqual([...known].sort());
    expect(readConfig(parseEnv(uncommented) as Record<string, string>)).toEqual(readConfig({}));
  });
});

const unset = { maxConnections: undefined, maxConnectionsPerAddress: undefined };

describe("the files that the service may have open", () => {
  it.each([
    [512, { publicConnections: 192, publicPerAddress: 96, internalConnections: 48, deliveries: 48 }],
    [1024, { publicConnections: 448, publicPerAddress: 224, internalConnections: 112, deliveries: 112 }],
    [20_000, { publicConnections: 9936, publicPerAddress: 4968, internalConnections: 2484, deliveries: 500 }],
    [1_048_576, { publicConnections: 10_000, publicPerAddress: 5000, internalConnections: 4000, deliveries: 500 }],
    [Number.POSITIVE_INFINITY, { publicConnections: 10_000, publicPerAddress: 5000, internalConnections: 4000 }],
  ])("are shared without settings: %i", (limit, shares) => {
    expect(shareOpenFiles(limit, unset)).toMatchObject(shares);
  });

  it("are never shared out completely: files, the database and webhooks need some", () => {
    for (let limit = 512; limit < 30_000; limit += 7) {
      const { publicConnections, internalConnections, deliveries } = shareOpenFiles(limit, unset);
      expect(limit - publicConnections - 2 * internalConnections - deliveries).toBeGreaterThanOrEqual(128);
    }
  });

  it("leave as many public connections as the settings require", () => {
    const shares = shareOpenFiles(50_000, { maxConnections: 20_000, maxConnectionsPerAddress: 0 });
    expect(shares).toMatchObject({ publicConnections: 20_000, publicPerAddress: 0 });
  });

  it("are not enough for a setting of more than half", () => {
    const asked = { ...unset, maxConnections: 600 };
    expect(() => shareOpenFiles(1024, asked)).toThrow(ConfigError);
    expect(() => shareOpenFiles(1024, asked)).toThrow(/at most 448.*\(1024\), but is 600.*raise the limit to 1328/);
    expect(shareOpenFiles(1328, asked).publicConnections).toBe(600);
  });
});
