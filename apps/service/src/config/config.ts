import {
  databaseUrl,
  type LogLevel,
  logLevel,
  masterKey,
  port,
  readSettings,
  setting,
  webAddress,
  wholeNumber,
  yesOrNo,
} from "@media-ops/settings";
import * as z from "zod";

const perMinute = wholeNumber("a number of calls a minute (0 sets no limit)", 0);

const operationNames = setting("a list of names such as DisconnectChannel,ListChannelConnections", (text) => {
  const names = text.split(",").map((name) => name.trim());
  return names.every((name) => /^[A-Za-z0-9]+$/.test(name)) ? names : undefined;
});

const hostNames = setting(
  "a list of host names without ports, such as media.default.svc,media.corp.example",
  (text) => {
    const names = text.split(",").map((name) => name.trim().toLowerCase());
    return names.every((name) => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)) ? names : undefined;
  },
);

const DEFAULT_PORT = 8080;
const DEFAULT_INTAKE_PORT = 8081;

const settings = z.object({
  MEDIA_HOST: z.string().default("127.0.0.1"),
  MEDIA_PORT: port.default(DEFAULT_PORT),
  MEDIA_INTAKE_HOST: z.string().default("127.0.0.1"),
  MEDIA_INTAKE_PORT: port.default(DEFAULT_INTAKE_PORT),
  MEDIA_INTERNAL_HOSTS: hostNames.default([]),
  MEDIA_DATABASE_URL: databaseUrl.default("sqlite:./data/media.db"),
  MEDIA_MASTER_KEY: masterKey.optional(),
  MEDIA_MASTER_KEY_FILE: z.string().optional(),
  MEDIA_PUBLIC_URL: webAddress.optional(),
  MEDIA_UPSTREAM_URL: webAddress.optional(),
  // Operations on the one channel that is checked. Others, such as ListConnections, show every project's channels.
  MEDIA_MEDIA_API_OPERATIONS: operationNames.default([
    "DisconnectChannel",
    "DisconnectConnection",
    "ListChannelConnections",
  ]),
  MEDIA_LISTINGS_PER_MINUTE: perMinute.default(600),
  MEDIA_TOKENS_PER_MINUTE: perMinute.default(6000),
  MEDIA_MEDIA_API_PER_MINUTE: perMinute.default(600),
  MEDIA_LISTING_CACHE_MB: wholeNumber("a whole number of megabytes, at least 1", 1).optional(),
  MEDIA_ALLOW_PRIVATE_WEBHOOKS: yesOrNo.default(false),
  MEDIA_MAX_LAG_MS: wholeNumber("a number of milliseconds (0 sheds no load)", 0).default(500),
  MEDIA_MAX_CONNECTIONS: wholeNumber("a number of connections, at least 1", 1).optional(),
  MEDIA_MAX_CONNECTIONS_PER_ADDRESS: wholeNumber("a number of connections (0 sets no limit)", 0).optional(),
  MEDIA_LOG_LEVEL: logLevel.default("info"),
});

type Variables = Readonly<Record<string, string | undefined>>;

/** What is wrong with the variables together, whatever each of them says. */
function contradictionsIn(given: Variables): string[] {
  const problems: string[] = [];
  if (given.MEDIA_MASTER_KEY && given.MEDIA_MASTER_KEY_FILE) {
    problems.push("MEDIA_MASTER_KEY and MEDIA_MASTER_KEY_FILE are both set. Set one of them.");
  }
  const own = Number(given.MEDIA_PORT ?? DEFAULT_PORT);
  if (own !== 0 && own === Number(given.MEDIA_INTAKE_PORT ?? DEFAULT_INTAKE_PORT)) {
    problems.push(`MEDIA_INTAKE_PORT must differ from MEDIA_PORT, but both are ${own}: only the first is internal.`);
  }
  return problems;
}

/** All that can be set. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly intakeHost: string;
  readonly intakePort: number;
  /** Names under which the internal pages are asked for, in lower case; IP addresses and internal names always work. */
  readonly internalHosts: readonly string[];
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array | undefined;
  readonly masterKeyFile: string | undefined;
  /** Without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly upstreamUrl: string | undefined;
  /** The operations of the media server's API that projects may call. */
  readonly mediaApiOperations: readonly string[];
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
  /** How many public connections may be open; undefined for as many as the limit of open files allows. */
  readonly maxConnections: number | undefined;
  /** Those of one address: 0 sets no limit, undefined means half of all. */
  readonly maxConnectionsPerAddress: number | undefined;
  readonly logLevel: LogLevel;
}

/**
 * Reads the settings from the environment. An empty variable counts as none.
 *
 * @throws {ConfigError} with everything that is wrong.
 */
export function readConfig(env: Variables): Config {
  const data = readSettings(settings, env, contradictionsIn);
  return {
    host: data.MEDIA_HOST,
    port: data.MEDIA_PORT,
    intakeHost: data.MEDIA_INTAKE_HOST,
    intakePort: data.MEDIA_INTAKE_PORT,
    internalHosts: data.MEDIA_INTERNAL_HOSTS,
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
    maxConnections: data.MEDIA_MAX_CONNECTIONS,
    maxConnectionsPerAddress: data.MEDIA_MAX_CONNECTIONS_PER_ADDRESS,
    logLevel: data.MEDIA_LOG_LEVEL,
  };
}
