import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { parse } from "yaml";
import * as z from "zod";
import type { CommandInfo, ShortcutInfo } from "./window/protocol.js";

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
