import {
  ConfigError,
  databaseUrl,
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
  // In lower case. IP addresses and internal names always work.
  MEDIA_INTERNAL_HOSTS: hostNames.default([]),
  MEDIA_DATABASE_URL: databaseUrl.default("sqlite:./data/media.db"),
  MEDIA_MASTER_KEY: masterKey.optional(),
  MEDIA_MASTER_KEY_FILE: z.string().optional(),
  // Without a trailing slash.
  MEDIA_PUBLIC_URL: webAddress.optional(),
  MEDIA_UPSTREAM_URL: webAddress.optional(),
  // Operations on the one channel that is checked. Others, such as ListConnections, show every project's channels.
  MEDIA_MEDIA_API_OPERATIONS: operationNames.default([
    "DisconnectChannel",
    "DisconnectConnection",
    "ListChannelConnections",
  ]),
  MEDIA_LISTINGS_PER_MINUTE: perMinute.default(600),
  MEDIA_SEARCHES_PER_MINUTE: perMinute.default(60),
  MEDIA_TOKENS_PER_MINUTE: perMinute.default(6000),
  MEDIA_MEDIA_API_PER_MINUTE: perMinute.default(600),
  // By default a share of the machine's memory.
  MEDIA_LISTING_CACHE_MB: wholeNumber("a whole number of megabytes, at least 1", 1).optional(),
  MEDIA_ALLOW_PRIVATE_WEBHOOKS: yesOrNo.default(false),
  // The event loop delay above which calls are refused.
  MEDIA_MAX_LAG_MS: wholeNumber("a number of milliseconds (0 sheds no load)", 0).default(500),
  // Limits of the public listener. By default as many as the limit of open files allows, and half of them per address.
  MEDIA_MAX_CONNECTIONS: wholeNumber("a number of connections, at least 1", 1).optional(),
  MEDIA_MAX_CONNECTIONS_PER_ADDRESS: wholeNumber("a number of connections (0 sets no limit)", 0).optional(),
  MEDIA_LOG_LEVEL: logLevel.default("info"),
});

type Variables = Readonly<Record<string, string | undefined>>;

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

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type Settings = z.output<typeof settings>;

/** The settings, each under its variable's name in camel case: `MEDIA_PUBLIC_URL` is `publicUrl`. */
export type Config = {
  readonly [Name in keyof Settings as Name extends `MEDIA_${infer Rest}` ? CamelCase<Rest> : never]: Settings[Name];
};

/** Reads the settings from the environment. @throws {ConfigError} with all problems. */
export function readConfig(env: Variables): Config {
  const entries = Object.entries(readSettings(settings, env, contradictionsIn));
  return Object.fromEntries(entries.map(([variable, value]) => [nameOf(variable), value])) as Config;
}

const nameOf = (variable: string): string =>
  variable
    .replace(/^MEDIA_/, "")
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

// An idle service has about 40 files open. The rest is for connections to PostgreSQL and files that are open briefly.
const RESERVED = 128;
// More connections are not served faster, and each needs about 20 kB of memory.
const MAX_PUBLIC = 10_000;
const MAX_INTERNAL = 4000;
const MAX_DELIVERIES = 500;

/** Shares the files that the process may have open: no part uses up the others' share. @throws {ConfigError} */
export function shareOpenFiles(
  limit: number,
  { maxConnections, maxConnectionsPerAddress }: Pick<Config, "maxConnections" | "maxConnectionsPerAddress">,
) {
  const shared = limit - RESERVED;
  const half = Math.floor(shared / 2);
  const eighth = Math.floor(shared / 8);
  if (maxConnections !== undefined && maxConnections > half) {
    const needed = RESERVED + 2 * maxConnections;
    throw new ConfigError([
      `MEDIA_MAX_CONNECTIONS must be at most ${half}, half of the files that this process may have open (${limit}), but is ${maxConnections}. Lower it, or raise the limit to ${needed} (ulimit -n, LimitNOFILE of systemd, --ulimit nofile of Docker).`,
    ]);
  }
  const publicConnections = maxConnections ?? Math.min(MAX_PUBLIC, half);
  return {
    publicConnections,
    /** Public connections of one address; 0 sets no limit. */
    publicPerAddress: maxConnectionsPerAddress ?? Math.ceil(publicConnections / 2),
    /** Each may need one more socket, to a project's own webhook. */
    internalConnections: Math.min(MAX_INTERNAL, eighth),
    /** To the projects' event addresses. */
    deliveries: Math.min(MAX_DELIVERIES, eighth),
  };
}
