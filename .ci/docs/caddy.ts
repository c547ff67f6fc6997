import { readConfig as readBotConfig } from "@media-ops/bot";
import { readConfig as readServiceConfig } from "@media-ops/service";
import { expect } from "vitest";
import type { CodeBlock } from "./code-blocks.js";

const needed = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "secret" };

/** Where each example's own address leads to: where that program listens by itself. */
const listeners: Readonly<Record<string, { readonly host: string; readonly port: number }>> = {
  "media-ops.example": readServiceConfig({}),
  "media-bot.example": readBotConfig(needed),
};

/** A Caddyfile of two lines: an address, and what is behind it. */
export function takeCaddy({ text }: CodeBlock): void {
  const [address = "", ...directives] = text.split("\n");
  expect(Object.keys(listeners)).toContain(address);
  const listener = listeners[address];
  expect(directives).toEqual([`reverse_proxy ${listener?.host}:${listener?.port}`]);
}
