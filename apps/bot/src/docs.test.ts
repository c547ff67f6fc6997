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

  it("keeps within the lengths that Slack accepts", () => {
    const { display_information: info, features, oauth_config, settings } = manifest;
    const { bot_user: bot, shortcuts: items, slash_commands: commands } = features;
    const limits: [text: string, atMost: number][] = [
      [info.name, 35],
      [info.description, 140],
      [info.long_description, 4000],
      [bot.display_name, 80],
      ...items.flatMap((one: Record<string, string>) => [
        [one.name, 24],
        [one.callback_id, 255],
        [one.description, 150],
      ]),
      ...commands.flatMap((one: Record<string, string>) => [
        [one.command, 32],
        [one.description, 2000],
        [one.usage_hint, 1000],
      ]),
    ];
    expect(limits.filter(([text, atMost]) => text.length === 0 || text.length > atMost)).toEqual([]);
    // Slack refuses a shorter one.
    expect(info.long_description.length).toBeGreaterThanOrEqual(174);
    expect(info.background_color).toMatch(/^#[0-9a-f]{6}$/);
    expect(items.length).toBeLessThanOrEqual(10);
    expect(commands.length).toBeLessThanOrEqual(50);
    expect(oauth_config.scopes.bot.length).toBeLessThanOrEqual(255);
    expect(settings.event_subscriptions.bot_events.length).toBeLessThanOrEqual(100);
  });

  it("has shortcuts that the documentation explains by name", () => {
    const setup = read("docs/slack-setup.md");
    for (const { name } of manifest.features.shortcuts) expect(setup).toContain(`**${name}**`);
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
