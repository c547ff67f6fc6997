import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type FakeSlackOptions, type Json, type Person, startFakeSlack } from "@media-ops/fake-slack";
import { onTestFinished, vi } from "vitest";
import { createLiveIncident, USUAL_INCIDENT } from "../demo/live.js";
import { serve } from "../ports.js";
import type { ActionResult, Scene, WindowEvents } from "../window/protocol.js";
import { Log } from "../window/records.js";
import { startWindow, type WindowOptions } from "../window/server.js";
import { temporaryFolder } from "./start.js";

/** A request that the app received: a command's fields, an interaction's payload, or an event's envelope. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field, and fails if it is missing.
type Sent = any;

type Call = (method: string, args: Json) => Promise<Json>;

/** Handles a request to the app, and returns the answer. */
export type Respond = (sent: Sent, call: Call) => unknown;

interface WindowStageOptions {
  slack?: Partial<FakeSlackOptions>;
  respond?: Respond;
  window?: Partial<WindowOptions>;
}

const plain = (text: string) => ({ type: "plain_text", text });

/** A block with a button and a menu. */
export const controls = (block_id: string) => ({
  type: "actions",
  block_id,
  elements: [
    { type: "button", action_id: "older", text: plain("Older") },
    { type: "static_select", action_id: "kind", options: [{ text: plain("API calls"), value: "api" }] },
  ],
});

/** An input of a form. */
export const field = (block_id: string, action_id: string, label: string) => ({
  ...{ type: "input", block_id, label: plain(label) },
  element: { type: "plain_text_input", action_id },
});

export const form = {
  ...{ type: "modal", callback_id: "token", title: plain("New token"), submit: plain("Mint"), notify_on_close: true },
  blocks: [field("channel", "name", "Channel")],
};

/** Opens a form for every shortcut, and answers its submissions. */
export const withForm = (answer?: object, view: object = form): Respond => {
  return async (sent, call) => {
    if (sent.type === "shortcut") await call("views.open", { trigger_id: sent.trigger_id, view });
    return sent.type === "view_submission" ? answer : undefined;
  };
};

const SCOPES = ["commands", "chat:write", "im:write"];

/** Starts a Slack with two people, a small app, and the window. All of them stop after the test. */
export async function startWindowStage({ slack: given, respond, window: more }: WindowStageOptions = {}) {
  const slack = await startFakeSlack({ scopes: SCOPES, messageShortcuts: ["look_up"], ...given });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", realName: "Ann Meyer", isAdmin: true });
  const bob = team.addUser({ name: "bob", timeZone: "America/New_York" });
  const general = team.addChannel({ name: "general", members: [ann, bob], withBot: true });
  const call: Call = async (method, args) => {
    const headers = { authorization: `Bearer ${team.botToken}`, "content-type": "application/json" };
    const response = await fetch(`${slack.apiUrl}${method}`, { method: "POST", headers, body: JSON.stringify(args) });
    return (await response.json()) as Json;
  };
  const sent: Sent[] = [];
  if (respond) {
    const app = await serve(0, async (request, response) => {
      const one = sentIn(await text(request));
      sent.push(one);
      const answer = await respond(one, call);
      if (typeof answer === "number") response.writeHead(answer).end();
      else if (answer === undefined) response.end();
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    onTestFinished(app.stop);
    slack.app.requestUrl = `${app.url}/slack/events`;
  }
  const log = new Log(300);
  const incident = createLiveIncident(USUAL_INCIDENT, { setFailing() {} }, { visit() {} });
  onTestFinished(incident.stop);
  const window = await startWindow({
    ...{ slack, team, incident, log, people: [ann, bob], port: 0 },
    app: { name: "Media Ops", messageShortcuts: [{ callbackId: "look_up", name: "Look up in Media Ops" }] },
    suggest: (line) => [{ line: `${line}gs`, word: "logs", about: "entries" }],
    pageFolder: await pageFolder(),
    ...more,
  });
  onTestFinished(window.stop);
  const look = (person: Person) => lookThrough(`${window.url}/api/window?person=${person.id}`);
  const last = (): Sent => sent.at(-1);
  return { slack, team, ann, bob, general, call, sent, last, incident, log, window, act: actOn(window.url), look };
}

function sentIn(body: string): Sent {
  if (body.startsWith("{")) return JSON.parse(body);
  const fields = Object.fromEntries(new URLSearchParams(body));
  return fields.payload === undefined ? fields : JSON.parse(fields.payload);
}

async function pageFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "page/assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "not for you");
  await writeFile(join(folder, "page/index.html"), "<!doctype html><title>Slack</title>");
  await writeFile(join(folder, "page/assets/page-1.js"), "export {};");
  return join(folder, "page");
}

/** Returns a function that performs actions as the page does. */
export function actOn(pageUrl: string | undefined) {
  return async (action: object): Promise<{ status: number; body: ActionResult }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${pageUrl}/api/do`, { method: "POST", headers, body: JSON.stringify(action) });
    return { status: response.status, body: (await response.json()) as ActionResult };
  };
}

type Event = { [Name in keyof WindowEvents]: { name: Name; data: WindowEvents[Name] } }[keyof WindowEvents];

/** Opens a window as the page does, and records its events. */
export async function lookThrough(url: string) {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const response = await fetch(url, { signal: closing.signal });
  const events: Event[] = [];
  const state = { hasEnded: false, text: "" };
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      state.text += chunk;
      const whole = [...state.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)];
      for (const [, name, data = ""] of whole.slice(events.length))
        events.push({ name, data: JSON.parse(data) } as Event);
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      state.hasEnded = true;
    });
  const all = <Name extends keyof WindowEvents>(name: Name): WindowEvents[Name][] =>
    events.flatMap((event) => (event.name === name ? [event.data as WindowEvents[Name]] : []));
  return { events, all, state, close: () => closing.abort() };
}

/** Returns what the page of a playground first shows. */
export async function sceneOf(pageUrl: string | undefined): Promise<Scene> {
  const { all, close } = await lookThrough(`${pageUrl}/api/window`);
  return vi.waitUntil(() => all("scene")[0], { timeout: 10_000 }).finally(close);
}
