import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { parse } from "yaml";
import * as z from "zod";
import type { CommandInfo, ShortcutInfo } from "./window/protocol.js";

/** The settings of the environment, by their names. */
export type Env = Readonly<Record<string, string | undefined>>;

/** How the bot gets into the real Slack: into one workspace by its token, or into many that install it. */
export type RealSlack = "token" | "oauth";

/** Whether the bot is to talk to the real Slack, and how it gets in. */
export function realSlackIn(env: Env): RealSlack | undefined {
  if (isSet(env.SLACK_CLIENT_ID)) return "oauth";
  return isSet(env.SLACK_BOT_TOKEN) || isSet(env.SLACK_APP_TOKEN) ? "token" : undefined;
}

export const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== "";

// What a bot elsewhere has kept is not this one's.
const ELSEWHERE = new Set(["BOT_DATABASE_URL", "BOT_MASTER_KEY", "BOT_MASTER_KEY_FILE"]);

/** The settings of the bot: those for it and for Slack as they are, and the rest as it is here. */
export function botSettings(env: Env, others: Readonly<Record<string, string>> = {}): Env {
  const own = Object.entries(env).filter(
    ([name, value]) => /^(SLACK|BOT)_/.test(name) && isSet(value) && !ELSEWHERE.has(name),
  );
  // The demo's service is on this machine, which OAuth alone would forbid to reach.
  return { BOT_ALLOW_PRIVATE_ADDRESSES: "true", ...others, ...Object.fromEntries(own) };
}

/** The app, as Slack knows it by the app's manifest. */
export interface AppInfo {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly commands: readonly CommandInfo[];
  readonly shortcuts: readonly ShortcutInfo[];
}

const manifest = z.object({
  features: z.object({
    bot_user: z.object({ display_name: z.string() }),
    shortcuts: z
      .array(z.object({ name: z.string(), type: z.string(), callback_id: z.string(), description: z.string() }))
      .default([]),
    slash_commands: z.array(
      z.object({ command: z.string(), description: z.string(), usage_hint: z.string().default("") }),
    ),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
});

/** Reads the bot's own manifest: what it asks of the real Slack it gets here. */
export async function readAppInfo(): Promise<AppInfo> {
  const file = createRequire(import.meta.url).resolve("@media-ops/bot/manifest.yaml");
  const { features, oauth_config } = manifest.parse(parse(await readFile(file, "utf8")));
  return {
    name: features.bot_user.display_name,
    scopes: oauth_config.scopes.bot,
    commands: features.slash_commands.map(({ command, description, usage_hint }) => ({
      name: command,
      about: description,
      hint: usage_hint,
    })),
    shortcuts: features.shortcuts
      .filter(({ type }) => type === "global")
      .map(({ callback_id, name, description }) => ({ callbackId: callback_id, name, about: description })),
  };
}
