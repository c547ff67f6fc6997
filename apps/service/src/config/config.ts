import { type LogLevel, logLevel, masterKey, port, readSettings, webAddress, yesOrNo } from "@media-ops/settings";
import * as z from "zod";

const perMinute = z.coerce
  .number({ error: "is a number of calls a minute; 0 sets no limit" })
  .int("is a whole number of calls a minute; 0 sets no limit")
  .min(0, "is a number of calls a minute; 0 sets no limit");

const operationNames = z
  .string()
  .transform((text) => text.split(",").map((name) => name.trim()))
  .refine(
    (names) => names.every((name) => /^[A-Za-z0-9]+$/.test(name)),
    "is a list of names such as DisconnectChannel,ListChannelConnections",
  );

const settings = z
  .object({
    MEDIA_HOST: z.string().default("127.0.0.1"),
    MEDIA_PORT: port.default(8080),
    MEDIA_INTAKE_HOST: z.string().default("127.0.0.1"),
    MEDIA_INTAKE_PORT: port.default(8081),
    MEDIA_DATABASE_URL: z.string().default("sqlite:./data/media.db"),
    MEDIA_MASTER_KEY: masterKey.optional(),
    MEDIA_MASTER_KEY_FILE: z.string().optional(),
    MEDIA_PUBLIC_URL: webAddress.optional(),
    MEDIA_UPSTREAM_URL: webAddress.optional(),
    MEDIA_MEDIA_API_OPERATIONS: operationNames.optional(),
    MEDIA_LISTINGS_PER_MINUTE: perMinute.default(600),
    MEDIA_TOKENS_PER_MINUTE: perMinute.default(6000),
    MEDIA_MEDIA_API_PER_MINUTE: perMinute.default(600),
    MEDIA_ALLOW_PRIVATE_WEBHOOKS: yesOrNo.default(false),
    MEDIA_MAX_LAG_MS: z.coerce
      .number({ error: "is a number of milliseconds; 0 sheds no load" })
      .min(0, "is a number of milliseconds; 0 sheds no load")
      .default(500),
    MEDIA_LISTING_CACHE_MB: z.coerce
      .number({ error: "is a whole number of megabytes, at least 1" })
      .int("is a whole number of megabytes, at least 1")
      .min(1, "is a whole number of megabytes, at least 1")
      .optional(),
    MEDIA_LOG_LEVEL: logLevel.default("info"),
  })
  .refine((all) => !(all.MEDIA_MASTER_KEY && all.MEDIA_MASTER_KEY_FILE), {
    path: ["MEDIA_MASTER_KEY_FILE"],
    error: "and MEDIA_MASTER_KEY are both set; set one of them",
  })
  .refine((all) => all.MEDIA_PORT === 0 || all.MEDIA_PORT !== all.MEDIA_INTAKE_PORT, {
    path: ["MEDIA_INTAKE_PORT"],
    error: "is another one than MEDIA_PORT: what listens there is for the inside alone",
  });

/** All that can be set. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly intakeHost: string;
  readonly intakePort: number;
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array | undefined;
  readonly masterKeyFile: string | undefined;
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly upstreamUrl: string | undefined;
  /** The operations of the media server's API that projects may call; undefined where it is all of them. */
  readonly mediaApiOperations: readonly string[] | undefined;
  /** 0 sets no limit. */
  readonly listingsPerMinute: number;
  readonly tokensPerMinute: number;
  readonly mediaApiPerMinute: number;
  /** Whether webhooks may go to private addresses, too. */
  readonly allowPrivateWebhooks: boolean;
  /** How late the event loop may be before calls are turned away; 0 turns nobody away. */
  readonly maxLagMs: number;
  /** How much memory, in megabytes, the listings may take that are kept; undefined for a share of the memory. */
  readonly listingCacheMb: number | undefined;
  readonly logLevel: LogLevel;
}

/**
 * Reads the settings from the environment. An empty variable counts as none.
 *
 * @throws {ConfigError} with everything that is wrong.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const data = readSettings(settings, env);
  return {
    host: data.MEDIA_HOST,
    port: data.MEDIA_PORT,
    intakeHost: data.MEDIA_INTAKE_HOST,
    intakePort: data.MEDIA_INTAKE_PORT,
    databaseUrl: data.MEDIA_DATABASE_URL,
    masterKey: data.MEDIA_MASTER_KEY,
    masterKeyFile: data.MEDIA_MASTER_KEY_FILE,
    publicUrl: data.MEDIA_PUBLIC_URL,
    upstreamUrl: data.MEDIA_UPSTREAM_URL,
    mediaApiOperations: data.MEDIA_MEDIA_API_OPERATIONS,
    listingsPerMinute: data.MEDIA_LISTINGS_PER_MINUTE,
    tokensPerMinute: data.MEDIA_TOKENS_PER_MINUTE,
    mediaApiPerMinute: data.MEDIA_MEDIA_API_PER_MINUTE,
    allowPrivateWebhooks: data.MEDIA_ALLOW_PRIVATE_WEBHOOKS,
    maxLagMs: data.MEDIA_MAX_LAG_MS,
    listingCacheMb: data.MEDIA_LISTING_CACHE_MB,
    logLevel: data.MEDIA_LOG_LEVEL,
  };
}
