import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { inventory } from "@media-ops/bot";
import { type FakeSlack, startFakeSlack } from "@media-ops/fake-slack";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../ports.js";
import { checkSlack, type Piece } from "./ask-slack.js";
import { botPieces, goldenPieces } from "./tour.js";

async function startSlack(): Promise<FakeSlack> {
  const slack = await startFakeSlack({ scopes: [] });
  onTestFinished(() => slack.stop());
  return slack;
}

/** Runs the check against a Slack at an address. Returns the exit code, the output and the pauses. */
async function check(pieces: readonly Piece[], apiUrl: string) {
  const said: string[] = [];
  const pauses: number[] = [];
  const pause = async (ms: number) => pauses.push(ms);
  const code = await checkSlack(pieces, { apiUrl, pause, say: (text) => said.push(text) });
  return { code, said: said.join("\n"), pauses };
}

const text = (words: string) => ({ type: "plain_text", text: words });
const fine: Piece = { name: "fine", kind: "message", payload: { text: "a", blocks: [{ type: "divider" }] } };
const wrong: Piece = {
  name: "a planted fault",
  kind: "view",
  payload: {
    type: "modal",
    title: text("Far too long a title for any window"),
    blocks: [{ type: "header", text: text("x".repeat(200)) }],
  },
};

// The tour takes several seconds, because it uses every feature of a service, a media server and the bot. It runs once.
describe("the pieces to validate", () => {
  let bot: readonly Piece[];
  let golden: readonly Piece[];
  let callbackIds: ReadonlySet<string>;
  let actions: ReadonlySet<string>;

  beforeAll(async () => {
    [bot, golden] = await Promise.all([botPieces(), goldenPieces()]);
    const all = JSON.stringify(bot);
    const found = (pattern: RegExp) => new Set([...all.matchAll(pattern)].map(([, name = ""]) => name));
    callbackIds = found(/"callback_id":"([^"]+)"/g);
    // The part after a colon distinguishes controls of one kind in a message.
    actions = found(/"action_id":"([^":]+)/g);
  });

  it.each(inventory.forms)("include the modal that submits %s", (form) => {
    expect(callbackIds).toContain(form);
  });

  it.each(inventory.actions)("include a control for %s", (action) => {
    expect(actions).toContain(action);
  });

  it.each(inventory.commands)("cover the command %s", (command) => {
    const typed = command === "token" ? "/media token" : `/media ${command}`;
    expect(bot.some(({ name }) => name.startsWith(typed))).toBe(true);
  });

  it.each(inventory.shortcuts)("cover the shortcut %s", (shortcut) => {
    expect(bot.some(({ name }) => name.startsWith(`shortcut ${shortcut}`))).toBe(true);
  });

  it("include every golden file of the formatters", async () => {
    const files = await readdir(join(import.meta.dirname, "../../../../packages/formatters/golden"));
    const names = files.filter((file) => file.endsWith(".slack.json")).map((file) => `golden/${file}`);
    expect(golden.map(({ name }) => name)).toEqual(names.sort());
    expect(names.length).toBeGreaterThan(20);
  });

  it("have names without secrets, because the names are printed", () => {
    expect(bot.map(({ name }) => name).join()).not.toMatch(/mo_\w|eyJ/);
  });

  it("are messages, modals and homes, and Slack accepts all of them", async () => {
    const types = new Set(bot.map(({ kind, payload }) => (kind === "message" ? kind : payload.type)));
    expect(types).toEqual(new Set(["message", "modal", "home"]));
    const { code, said } = await check([...golden, ...bot], (await startSlack()).apiUrl);
    expect(said).toContain("✓ Slack accepts all of them.");
    expect(code).toBe(0);
  });
});

describe("the check", () => {
  it("prints Slack's objections with JSON pointers, and fails", async () => {
    const { code, said } = await check([fine, wrong, fine], (await startSlack()).apiUrl);
    expect(code).toBe(1);
    expect(said).toContain("✗ a planted fault\n  /title/text: must be less than 25 characters");
    expect(said).toContain("✗ a planted fault\n  /blocks/0/text/text: must be less than 151 characters");
    expect(said).toContain("Slack objects to 1 of 3.");
    expect(said).not.toContain("✗ fine");
  });

  it("sends one request per second, and waits as long as Slack requires after a rate limit", async () => {
    const slack = await startSlack();
    slack.limit("blocks.validate", { times: 2, retryAfter: 7 });
    const { code, pauses } = await check([fine, fine], slack.apiUrl);
    expect(code).toBe(0);
    expect(pauses).toEqual([7000, 7000, 1000]);
  });

  it("sends no token", async () => {
    const slack = await startSlack();
    await check([fine], slack.apiUrl);
    expect(slack.transcript.map(({ name, detail }) => [name, Object.keys(Object(detail.args))])).toEqual([
      ["blocks.validate", ["message"]],
    ]);
  });

  it.each([
    ["is unreachable", 0, ""],
    ["keeps limiting the rate", 429, ""],
    ["fails", 500, "{}"],
    ["is another website", 200, "<title>Welcome</title>"],
    ["does not know the method", 200, '{"ok":false,"error":"unknown_method"}'],
  ])("fails if Slack %s, because the result is unknown", async (_, status, body) => {
    const server = await serve(0, (_request, response) => void response.writeHead(status).end(body));
    const url = `${server.url}/api/`;
    if (status === 0) await server.stop();
    else onTestFinished(server.stop);
    const { code, said } = await check([fine], url);
    expect(code).toBe(2);
    expect(said).toContain(`Slack could not be asked: ${url}blocks.validate`);
    expect(said).toContain("Check the network, or SLACK_API_URL.");
  });
});
