import { readFileSync } from "node:fs";
import { joinLinkFault } from "@media-ops/commands";
import {
  ConfigError,
  databaseUrl,
  hidden,
  logLevel,
  masterKey,
  port,
  readSettings,
  setting,
  shown,
  shownUrl,
  webAddress,
  yesOrNo,
} from "@media-ops/settings";
import * as z from "zod";
import { addressFault } from "./connections/public-addresses.js";
import { defaultPolicy, parsePolicy, type TokenPolicy } from "./policy/policy.js";

// Requests send the API key, so a password in the URL is a mistake, and would be shown.
const serviceAddress = webAddress.refine(
  (text) => {
    const { username, password } = new URL(text);
    return username === "" && password === "";
  },
  {
    error: ({ input }) =>
      `must have no user name and no password (the API key authenticates), but is ${shownUrl(String(input))}.`,
  },
);

const token = (prefix: string) =>
  setting(
    `a token that begins with ${prefix}-, then letters, digits and dashes`,
    (text) => (new RegExp(`^${prefix}-[\\w.-]+$`).test(text) ? text : undefined),
    hidden,
  );

const apiKey = setting(
  "an API key, without spaces and quotes",
  (text) => (/^[\w.~+/-]+=*$/.test(text) ? text : undefined),
  hidden,
);

const AUDIT_CHANNEL = /^(?:(T[A-Z0-9]+):)?([CG][A-Z0-9]+)$/;

/** Channels by workspace; an empty id stands for any workspace. */
const auditChannels = setting(
  "the id of a channel, such as C0123, or of one for each workspace: T01:C01,T02:C02",
  (text): ReadonlyMap<string, string> | undefined => {
    const channels = new Map<string, string>();
    const entries = text.split(",").map((entry) => AUDIT_CHANNEL.exec(entry.trim()));
    for (const [, team = "", channel = ""] of entries.filter((entry) => entry !== null)) channels.set(team, channel);
    // Two channels for one workspace, or one for all workspaces beside others, contradict each other.
    const isClear = channels.size === entries.length && (channels.size === 1 || !channels.has(""));
    return isClear ? channels : undefined;
  },
);

const joinUrl = z.string().superRefine((template, context) => {
  const fault = joinLinkFault(template);
  if (fault !== undefined) context.addIssue({ code: "custom", message: `${fault}.` });
});

const policyFile = z.string().transform((file, context): TokenPolicy => {
  const problem = (message: string): void => context.addIssue({ code: "custom", message });
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    problem(`must be the name of a file, but ${shown(file)} cannot be read${code}.`);
    return z.NEVER;
  }
  const parsed = parsePolicy(text);
  if (parsed.ok) return parsed.policy;
  for (const fault of parsed.problems) problem(`${file}: ${fault}`);
  return z.NEVER;
});

const storageSettings = {
  BOT_DATABASE_URL: databaseUrl.default("sqlite:./data/bot.db"),
  BOT_MASTER_KEY: masterKey.optional(),
  BOT_MASTER_KEY_FILE: z.string().optional(),
};

const settings = z.object({
  BOT_HOST: z.string().default("127.0.0.1"),
  BOT_PORT: port.default(3000),
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_BOT_TOKEN: token("xoxb").optional(),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  SLACK_STATE_SECRET: z.string().optional(),
  SLACK_APP_TOKEN: token("xapp").optional(),
  SLACK_API_URL: webAddress.optional(),
  MEDIA_BASE_URL: serviceAddress.optional(),
  MEDIA_API_KEY: apiKey.optional(),
  MEDIA_PROJECT_ID: z.string().optional(),
  BOT_PUBLIC_URL: webAddress.optional(),
  ...storageSettings,
  BOT_TOKEN_POLICY: policyFile.optional(),
  BOT_AUDIT_CHANNEL: auditChannels.optional(),
  BOT_JOIN_URL: joinUrl.optional(),
  BOT_ALLOW_PRIVATE_ADDRESSES: yesOrNo.optional(),
  BOT_ALLOW_PRIVATE_WATCH_URLS: yesOrNo.default(false),
  BOT_LOG_LEVEL: logLevel.default("info"),
});

/** One workspace by its token, or many by OAuth. */
type SlackAccess =
  | { readonly kind: "token"; readonly botToken: string }
  | {
      readonly kind: "oauth";
      readonly clientId: string;
      readonly clientSecret: string;
      readonly stateSecret: string;
      /** The page of Slack on which people authorize the app. */
      readonly authorizeUrl: string;
    };

/** The bot's settings. */
export type Config = ReturnType<typeof readConfig>;

/** The location of the database and its master key. */
export type StorageConfig = ReturnType<typeof readStorageConfig>;

/** The environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings and their policy file; empty counts as unset. A {@link ConfigError} has all problems. */
export function readConfig(env: Environment) {
  const data = readSettings(settings, env, contradictionsIn);
  const access = accessIn(data);
  const { MEDIA_BASE_URL: baseUrl, MEDIA_API_KEY: apiKey, MEDIA_PROJECT_ID: projectId } = data;
  return {
    host: data.BOT_HOST,
    port: data.BOT_PORT,
    slack: {
      /** The URL of Slack's API if it is not the real Slack, without a trailing slash. */
      apiUrl: data.SLACK_API_URL,
      /** Always set unless there is an app token. */
      signingSecret: data.SLACK_SIGNING_SECRET,
      /** If it is set, the bot uses Socket Mode. */
      appToken: data.SLACK_APP_TOKEN,
      access,
    },
    /** A project that every workspace is connected to. */
    media: baseUrl && apiKey && projectId ? { baseUrl, apiKey, projectId } : undefined,
    /** The URL at which Slack and browsers reach the bot, without a trailing slash; always set with OAuth. */
    publicUrl: data.BOT_PUBLIC_URL,
    ...storageIn(data),
    policy: data.BOT_TOKEN_POLICY ?? defaultPolicy,
    /** The channels that are notified of new tokens, by workspace; an empty id stands for any workspace. */
    auditChannels: data.BOT_AUDIT_CHANNEL ?? new Map<string, string>(),
    /** The template of the link in a token's message; undefined for none. */
    joinUrl: data.BOT_JOIN_URL,
    /** Whether projects may have private addresses: workspaces that share a bot must not reach its private network. */
    allowPrivateAddresses: data.BOT_ALLOW_PRIVATE_ADDRESSES ?? access.kind === "token",
    /** Whether watches may post to private addresses. Members choose the URLs, and projects are connected by admins. */
    allowPrivateWatchUrls: data.BOT_ALLOW_PRIVATE_WATCH_URLS,
    logLevel: data.BOT_LOG_LEVEL,
  };
}

/** Reads only the location of the database and its master key; a {@link ConfigError} has all problems. */
export const readStorageConfig = (env: Environment) =>
  storageIn(readSettings(z.object(storageSettings), env, wrongMasterKey));

const storageIn = (data: z.infer<z.ZodObject<typeof storageSettings>>) => ({
  databaseUrl: data.BOT_DATABASE_URL,
  masterKey: data.BOT_MASTER_KEY,
  masterKeyFile: data.BOT_MASTER_KEY_FILE,
});

function accessIn(data: z.infer<typeof settings>): SlackAccess {
  const { SLACK_BOT_TOKEN: botToken, SLACK_CLIENT_ID: clientId } = data;
  const { SLACK_CLIENT_SECRET: clientSecret, SLACK_STATE_SECRET: stateSecret } = data;
  if (botToken) return { kind: "token", botToken };
  // contradictionsIn() has already reported it; this narrows the types.
  if (!clientId || !clientSecret || !stateSecret) throw new ConfigError(["SLACK_BOT_TOKEN is missing"]);
  const authorizeUrl = new URL("/oauth/v2/authorize", data.SLACK_API_URL ?? "https://slack.com").href;
  return { kind: "oauth", clientId, clientSecret, stateSecret, authorizeUrl };
}

const oauth = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_STATE_SECRET"] as const;
const media = ["MEDIA_BASE_URL", "MEDIA_API_KEY", "MEDIA_PROJECT_ID"] as const;

/** The problems of the variables in combination; its schema checks each variable separately. */
function contradictionsIn(variables: Environment): string[] {
  const { SLACK_BOT_TOKEN: botToken, BOT_AUDIT_CHANNEL: auditChannel, MEDIA_BASE_URL: url } = variables;
  const isOAuth = oauth.some((name) => variables[name]);
  const isForMany = isOAuth && !botToken;
  const hasProject = media.some((name) => variables[name]);
  const isPublicOnly = yesOrNo.safeParse(variables.BOT_ALLOW_PRIVATE_ADDRESSES).data === false;
  // The URL's own schema reports an invalid URL.
  const isPrivate = url && isPublicOnly && webAddress.safeParse(url).success && addressFault(url, false);
  const names = oauth.join(", ");
  const problems: readonly (readonly [isProblem: unknown, words: string])[] = [
    [isOAuth && botToken, `SLACK_BOT_TOKEN is for one workspace, and ${names} are for many; set one or the other`],
    ...(isForMany ? missing(variables, oauth) : []),
    [!isOAuth && !botToken, `SLACK_BOT_TOKEN is missing; to serve many workspaces set ${names} instead`],
    [
      !variables.SLACK_SIGNING_SECRET && !variables.SLACK_APP_TOKEN,
      "SLACK_SIGNING_SECRET is missing; only with Socket Mode (SLACK_APP_TOKEN) can it be left out",
    ],
    [
      isForMany && !variables.BOT_PUBLIC_URL,
      "BOT_PUBLIC_URL is missing: browsers return to it when the app is installed",
    ],
    [
      isForMany && auditChannel && !auditChannel.includes(":"),
      "BOT_AUDIT_CHANNEL names one channel for many workspaces; write T01:C01,T02:C02",
    ],
    [
      isPrivate,
      `MEDIA_BASE_URL must be a public address with https:// (BOT_ALLOW_PRIVATE_ADDRESSES=false), but is ${shownUrl(url ?? "")}.`,
    ],
    [
      hasProject && isForMany,
      `${media.join(", ")} would give the project to every workspace that installs the app. Use /media connect instead`,
    ],
    ...(hasProject && !isForMany ? missing(variables, media) : []),
  ];
  return [...problems.flatMap(([isProblem, words]) => (isProblem ? [words] : [])), ...wrongMasterKey(variables)];
}

function wrongMasterKey(variables: Environment): string[] {
  if (!variables.BOT_MASTER_KEY || !variables.BOT_MASTER_KEY_FILE) return [];
  return ["BOT_MASTER_KEY and BOT_MASTER_KEY_FILE are both set. Set one of them."];
}

const missing = (variables: Environment, names: readonly string[]) =>
  names.map((name) => {
    const others = names.filter((other) => other !== name).join(" and ");
    return [!variables[name], `${name} is missing; it belongs to ${others}`] as const;
  });
