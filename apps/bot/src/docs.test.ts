import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "./config.js";
import { shortcuts } from "./run.js";
import { INSTALL_PATH, REDIRECT_PATH } from "./slack/access.js";
import { SCOPES } from "./slack/client.js";

const house = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(house, path), "utf8");

describe("the app's manifest", () => {
  const manifest = parse(read("apps/bot/manifest.yaml"));

  it("requests exactly the permissions that the bot uses", () => {
    expect(manifest.oauth_config.scopes).toEqual({ bot: [...SCOPES] });
  });

  it("sends all requests to the bot's own paths", () => {
    const { settings, features, oauth_config } = manifest;
    const urls = [
      settings.event_subscriptions.request_url,
      settings.interactivity.request_url,
      ...features.slash_commands.map(({ url }: { url: string }) => url),
    ];
    expect(new Set(urls)).toEqual(new Set(["https://media-bot.example/slack/events"]));
    expect(oauth_config.redirect_urls).toEqual([`https://media-bot.example${REDIRECT_PATH}`]);
    expect(settings.event_subscriptions.bot_events).toEqual([
      "app_home_opened",
      "app_mention",
      "app_uninstalled",
      "tokens_revoked",
    ]);
  });

  it("has the shortcuts that the bot handles", () => {
    const ids = manifest.features.shortcuts.map(({ callback_id }: { callback_id: string }) => callback_id);
    expect(ids).toEqual(Object.keys(shortcuts));
  });
});

describe("the documentation", () => {
  const setup = read("docs/slack-setup.md");

  it("explains each scope", () => {
    const [table = ""] = /\| scope [\s\S]*?\n\n/.exec(setup) ?? [];
    expect([...table.matchAll(/^\| `(.+?)`/gm)].map(([, scope]) => scope)).toEqual([...SCOPES]);
    expect(setup).toContain(`https://media-bot.example${INSTALL_PATH}`);
  });

  it("lists every setting in .env.example, with its default", () => {
    const example = parseEnv(read("apps/bot/.env.example")) as Record<string, string>;
    const source = read("apps/bot/src/config.ts");
    expect(Object.keys(example).sort()).toEqual([...new Set(source.match(/\b(?:BOT|SLACK|MEDIA)_[A-Z_]+\b/g))].sort());
    const needed = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "secret" };
    const given = Object.fromEntries(Object.entries(example).filter(([, value]) => value !== ""));
    expect(readConfig({ ...given, ...needed })).toEqual(readConfig(needed));
  });
});
