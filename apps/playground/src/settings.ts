import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { parse } from "yaml";
import * as z from "zod";
import type { IncidentPace } from "./demo/live.js";
import type { Ports } from "./ports.js";
import type { Stops } from "./stops.js";
import type { Log } from "./window/records.js";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What every part of a start needs. */
export interface Start {
  readonly folder: string;
  readonly ports: Ports;
  readonly env: Env;
  /** Receives the programs' logs. Undefined without a page: they then go to the output. */
  readonly log: Log | undefined;
  readonly incidentPace: IncidentPace;
  readonly stops: Stops;
  report(text: string): void;
}

/** How the bot connects to the real Slack: to one workspace by token, or to many by OAuth. */
export type RealSlack = "token" | "oauth";

/** Returns how the bot connects to the real Slack, or undefined without such settings. */
export function realSlackIn(env: Env): RealSlack | undefined {
  if (isSet(env.SLACK_CLIENT_ID)) return "oauth";
  return isSet(env.SLACK_BOT_TOKEN) || isSet(env.SLACK_APP_TOKEN) ? "token" : undefined;
}

export const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== "";

// Protects the data of another bot.
const ELSEWHERE = new Set(["BOT_DATABASE_URL", "BOT_MASTER_KEY", "BOT_MASTER_KEY_FILE"]);

/** Returns the bot's settings: the environment's for Slack and the bot, and the playground's own. */
export function botSettings(env: Env, others: Readonly<Record<string, string>> = {}): Env {
  const own = Object.entries(env).filter(
    ([name, value]) => /^(SLACK|BOT)_/.test(name) && isSet(value) && !ELSEWHERE.has(name),
  );
  // The demo's service is on this machine, which the bot refuses with OAuth otherwise.
  return { BOT_ALLOW_PRIVATE_ADDRESSES: "true", ...others, ...Object.fromEntries(own) };
}

const manifest = z.object({
  features: z.object({
    bot_user: z.object({ display_name: z.string() }),
    shortcuts: z.array(
      z.object({ name: z.string(), type: z.string(), callback_id: z.string(), description: z.string() }),
    ),
    slash_commands: z.array(
      z.object({
        command: z.string(),
        description: z.string(),
        usage_hint: z.string().default(""),
        should_escape: z.boolean().default(false),
      }),
    ),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
});

/** Reads the bot's manifest, so that the app is the same as in the real Slack. */
export async function readAppInfo() {
  const file = createRequire(import.meta.url).resolve("@media-ops/bot/manifest.yaml");
  const { features, oauth_config } = manifest.parse(parse(await readFile(file, "utf8")));
  const { bot_user, slash_commands: commands, shortcuts } = features;
  const messageShortcuts = shortcuts.filter(({ type }) => type === "message");
  return {
    name: bot_user.display_name,
    commands,
    shortcuts: shortcuts.filter(({ type }) => type === "global"),
    messageShortcuts,
    /** The options of a fake Slack with the app. */
    slack: {
      scopes: oauth_config.scopes.bot,
      commands: commands.map(({ command }) => command),
      escapesCommands: commands.some(({ should_escape }) => should_escape),
      messageShortcuts: messageShortcuts.map(({ callback_id }) => callback_id),
    },
  };
}

/** The app as described by its manifest. */
export type AppInfo = Awaited<ReturnType<typeof readAppInfo>>;
