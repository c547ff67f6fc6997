import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type FakeSlackOptions, type Json, type Person, startFakeSlack } from "@media-ops/fake-slack";
import { onTestFinished } from "vitest";
import { createLiveIncident, USUAL_INCIDENT } from "../demo/live-incident.js";
import { createLogTap } from "../window/log-tap.js";
import type { ActionResult, WindowEvents } from "../window/protocol.js";
import { startWindow, type WindowOptions } from "../window/server.js";

/** A request that the app received: a command's fields, an interaction's payload, or an event's envelope. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field, and fails if it is missing.
export type Sent = any;

/** Calls a Slack method as the app. */
type Call = (method: string, args: Json) => Promise<Json>;

/** Handles a request to the app, and returns the answer. */
export type Respond = (sent: Sent, call: Call) => unknown;

export interface WindowStageOptions {
  slack?: Partial<FakeSlackOptions>;
  respond?: Respond;
  window?: Partial<WindowOptions>;
}

const SCOPES = ["commands", "chat:write", "im:write"];

/** Starts a Slack with two people, a small app, and the window. All of them stop after the test. */
export async function startWindowStage({ slack: given, respond, window: more }: WindowStageOptions = {}) {
  const slack = await startFakeSlack({ scopes: SCOPES, messageShortcuts: ["look_up"], ...given });
  onTestFinished(() => slack.stop());
  const team = slack.workspaces[0] ?? slack.addWorkspace({ name: "acme" });
  const ann = team.person("ann") ?? team.addUser({ name: "ann", realName: "Ann Meyer", isAdmin: true });
  const bob = team.person("bob") ?? team.addUser({ name: "bob", timeZone: "America/New_York" });
  const general = team.places[0] ?? team.addChannel({ name: "general", members: [ann, bob], withBot: true });
  const call: Call = async (method, args) => {
    const headers = { authorization: `Bearer ${team.botToken}`, "content-type": "application/json" };
    const response = await fetch(`${slack.apiUrl}${method}`, { method: "POST", headers, body: JSON.stringify(args) });
    return (await response.json()) as Json;
  };
  const sent: Sent[] = [];
  if (respond) slack.app.requestUrl = await startApp(sent, (one) => respond(one, call));

  const log = createLogTap({ keeps: 300 });
  const incident = createLiveIncident({
    pace: USUAL_INCIDENT,
    receiver: { setFailing() {} },
    life: { visit() {} },
    now: () => 1_000_000,
  });
  onTestFinished(incident.stop);
  const window = await startWindow({
    slack,
    team,
    people: [ann, bob],
    app: { name: "Media Ops", messageShortcuts: [{ callbackId: "look_up", name: "Look up in Media Ops" }] },
    suggest: (line, person) => [{ line: `${line}gs`, word: "logs", about: `for ${person.name}` }],
    incident,
    log,
    pageFolder: await pageFolder(),
    port: 0,
    ...more,
  });
  onTestFinished(() => window.stop());
  const act = async (deed: object): Promise<{ status: number; body: ActionResult }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${window.url}/api/do`, { method: "POST", headers, body: JSON.stringify(deed) });
    return { status: response.status, body: (await response.json()) as ActionResult };
  };
  const look = (person: Person) => lookThrough(`${window.url}/api/window?person=${person.id}`);
  return {
    slack,
    team,
    ann,
    bob,
    general,
    call,
    sent,
    last: (): Sent => sent.at(-1),
    incident,
    log,
    window,
    act,
    look,
  };
}

async function startApp(sent: Sent[], respond: (one: Sent) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const one = sentIn(await text(request));
    sent.push(one);
    const answer = await respond(one);
    if (typeof answer === "number") response.writeHead(answer).end();
    else if (answer === undefined) response.end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
}

function sentIn(body: string): Sent {
  if (body.startsWith("{")) return JSON.parse(body);
  const fields = Object.fromEntries(new URLSearchParams(body));
  return fields.payload === undefined ? fields : JSON.parse(fields.payload);
}

async function pageFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-window-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "page/assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "not for you");
  await writeFile(join(folder, "page/index.html"), "<!doctype html><title>Slack</title>");
  await writeFile(join(folder, "page/assets/page-1.js"), "export {};");
  return join(folder, "page");
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
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const piece = Buffer.from(chunk).toString();
      state.text += piece;
      rest += piece;
      const whole = rest.split("\n\n");
      rest = whole.pop() ?? "";
      for (const one of whole) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
        if (name !== undefined && data !== undefined) events.push({ name, data: JSON.parse(data) } as Event);
      }
    }
  };
  read()
    .catch(() => {})
    .finally(() => {
      state.hasEnded = true;
    });
  const all = <Name extends keyof WindowEvents>(name: Name): WindowEvents[Name][] =>
    events.flatMap((event) => (event.name === name ? [event.data as WindowEvents[Name]] : []));
  return { response, events, all, state, close: () => closing.abort() };
}
