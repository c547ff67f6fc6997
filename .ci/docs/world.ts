import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { language, readConfig as readBotConfig } from "@media-ops/bot";
import { type FakeSlack, type Person, type Place, startFakeSlack, textOf, type Workspace } from "@media-ops/fake-slack";
import { readConfig as readServiceConfig } from "@media-ops/service";
import { serveHttp } from "@media-ops/testing/servers";
import { expect } from "vitest";
import { parse } from "yaml";
import { type AtEnd, type CodeBlock, root } from "./document.js";

const needed = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "secret" };

/** The default listener behind each example address. */
const listeners: Readonly<Record<string, { readonly host: string; readonly port: number }>> = {
  "media-ops.example": readServiceConfig({}),
  "media-bot.example": readBotConfig(needed),
};

/** Checks a two-line Caddyfile: an address, and the listener behind it. */
export function takeCaddy({ text }: CodeBlock): void {
  const [address = "", ...directives] = text.split("\n");
  expect(Object.keys(listeners)).toContain(address);
  const listener = listeners[address];
  expect(directives).toEqual([`reverse_proxy ${listener?.host}:${listener?.port}`]);
}

/** Types a line on the playground's page, and waits for an answer that contains a text. */
export async function typeOnPage(page: string, line: string, expected: string): Promise<void> {
  const { you, places, messages } = await scene(page);
  const [place] = places;
  const before = new Set(messages.map((message) => JSON.stringify(message)));
  const response = await fetch(`${page}/api/do`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: you, do: "command", place: place?.id, line }),
  });
  expect(await response.text()).toBe("{}");
  const newMessages = async (): Promise<string[]> =>
    (await scene(page)).messages.map((message) => JSON.stringify(message)).filter((message) => !before.has(message));
  await expect.poll(newMessages).toContainEqual(expect.stringContaining(expected));
}

interface Scene {
  readonly you: string;
  readonly places: readonly { readonly id: string }[];
  readonly messages: readonly unknown[];
}

/** Returns the first event of the page, which contains its full state. */
async function scene(page: string): Promise<Scene> {
  const response = await fetch(`${page}/api/window`);
  let text = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    const [, data] = /^event: scene\ndata: (.+)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  throw new Error(`${page} shows no scene: ${text}`);
}

/** A workspace in which the app of the manifest is installed. */
export interface Slack {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  /** An admin. */
  readonly ann: Person;
  readonly general: Place;
}

export async function startSlack(atEnd: AtEnd): Promise<Slack> {
  const { oauth_config, features } = parse(readFileSync(join(root, "apps/bot/manifest.yaml"), "utf8"));
  const commands = features.slash_commands.map(({ command }: { command: string }) => command);
  const slack = await startFakeSlack({ scopes: oauth_config.scopes.bot, commands });
  atEnd(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", isAdmin: true });
  return { slack, team, ann, general: team.addChannel({ name: "general", members: [ann] }) };
}

/** Fails unless the bot's language has the command, because the answer to an unknown one could look right. */
export function expectUnderstood(line: string): void {
  const [, words = ""] = /^\/media(?: (.+))?$/.exec(line) ?? [];
  if (words !== "") expect(language.parse(words, { now: Date.now() }), line).toMatchObject({ ok: true });
}

/** Types a command, and waits for an answer that contains a text. */
export async function ask({ slack, ann, general }: Slack, line: string, expected: string): Promise<void> {
  expectUnderstood(line);
  const before = new Set(ann.sees(general).map(({ ts }) => ts));
  await ann.command(line, { in: general });
  await slack.until(() =>
    ann.sees(general).find((message) => !before.has(message.ts) && textOf(message).includes(expected)),
  );
}

/** A server other than our programs: a media server's API, or a webhook receiver. */
export interface Receiver {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
  /** The answer to all further requests. */
  answer: { readonly status: number; readonly body: string };
}

/** Starts a server that records its requests and returns a fixed answer. */
export async function startReceiver(atEnd: AtEnd, answer: Receiver["answer"]): Promise<Receiver> {
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const { url, close } = await serveHttp(async (request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers, body: await text(request) });
    response.writeHead(receiver.answer.status, { "content-type": "application/json" }).end(receiver.answer.body);
  });
  atEnd(close);
  const receiver: Receiver = { url, requests, answer };
  return receiver;
}
