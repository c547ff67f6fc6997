import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buttonsOf, type Person, type SeenMessage, type SeenView, type TranscriptEntry } from "@media-ops/fake-slack";
import { startDemo } from "../demo/demo.js";
import type { IncidentPace } from "../demo/live.js";
import { isObject, parseJson } from "../json.js";
import { startLocalSlack } from "../local-slack.js";
import { anyPorts, choosePorts, serve } from "../ports.js";
import { Stops } from "../stops.js";
import { Log } from "../window/records.js";
import type { Piece } from "./ask-slack.js";

/** Returns everything that the bot shows on a tour. Its keys and tokens belong to a project that is then deleted. */
export async function botPieces(): Promise<readonly Piece[]> {
  const stops = new Stops(() => {});
  const folder = await mkdtemp(join(tmpdir(), "check-slack-"));
  try {
    return await tour(await startStage(folder, stops));
  } finally {
    await stops.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

// So many webhooks fail in seconds that a watch notices, and they fail until the end.
const incidentPace: IncidentPace = { failsMs: 600_000, recoversMs: 0, visitEveryMs: 50, watchedOver: "10s" };

async function startStage(folder: string, stops: Stops) {
  const ports = await choosePorts(anyPorts, () => {});
  const env = { BOT_LOG_LEVEL: "silent" };
  const start = { folder, ports, env, log: new Log(1), incidentPace, stops, report: () => {} };
  const demo = await startDemo(start);
  const botEnv = { BOT_PORT: "0", BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}` };
  const local = await startLocalSlack(start, botEnv, demo.incident);
  stops.add(demo.stop);
  // A service without entries.
  let status = 200;
  const { url, stop } = await serve(0, (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
  stops.add(stop);
  const refuse = (): void => {
    status = 401;
  };
  return { ...local, demo, other: { url, refuse } };
}

const KINDS = ["sessions", "connections", "api", "media-api", "webhooks", "events"];

/** Uses every feature of the bot once: each command, mention, button and modal, and the home. */
async function tour(stage: Awaited<ReturnType<typeof startStage>>): Promise<readonly Piece[]> {
  const { app, slack, team, bot, demo, other } = stage;
  const { apiKey } = demo;
  const ann = found(team.person("ann"), "Ann");
  const bob = found(team.person("bob"), "Bob");
  const placeNamed = (wanted: string) =>
    found(
      team.places.find(({ name }) => name === wanted),
      `#${wanted}`,
    );
  const [general, desk] = [placeNamed("general"), placeNamed("audit")];
  // Keyed by JSON, because many pieces are shown several times.
  const pieces = new Map<string, Piece>();
  /** Performs a step, and waits until the bot has answered. */
  const step = async (name: string, act: () => Promise<unknown>): Promise<void> => {
    const entries: TranscriptEntry[] = [];
    const unwatch = slack.watch((entry) => void entries.push(entry));
    await act();
    await bot.settled();
    unwatch();
    for (const piece of entries.flatMap((entry) => piecesOf(entry, name))) {
      const text = JSON.stringify(piece.payload);
      if (!pieces.has(text)) pieces.set(text, piece);
    }
  };
  const type = async (person: Person, ...lines: readonly string[]): Promise<void> => {
    for (const line of lines.map((words) => `/media ${words}`.trim())) {
      await step(`${line.replace(apiKey, "<API key>")} (${person.name})`, () => person.command(line, { in: general }));
    }
  };
  const newest = (person: Person): SeenMessage => found(person.sees(general).at(-1), `a message for ${person.name}`);
  const pressIn = (message: SeenMessage | SeenView, label: string): Promise<void> =>
    step(`button "${label}"`, () => ann.press(message, label));
  const press = async (...labels: readonly string[]): Promise<void> => {
    for (const label of labels) await pressIn(newest(ann), label);
  };
  const shareAndLookCloser = async (): Promise<void> => {
    await press("Share here");
    const shared = ann.sees(general).filter(({ isOnlyVisibleToYou }) => !isOnlyVisibleToYou);
    await pressIn(found(shared.at(-1), "a shared message"), "Look closer");
  };
  const choose = (name: string): Promise<void> => {
    const message = newest(ann);
    return step(name, () => ann.choose(message, "Details of…", firstOption(message)));
  };
  /** Presses a button that opens a modal, and submits that. */
  const fillIn = async (
    person: Person,
    message: SeenMessage,
    label: string,
    entries: Record<string, string | string[]>,
  ) => {
    await person.press(message, label);
    await slack.until(() => person.modal?.submit);
    await person.submit(entries);
  };
  const connect = async (address: string, project: string, key: string): Promise<void> => {
    await type(ann, "connect");
    const entries = { Address: address, Project: project, "API key": key };
    await step(`/media connect, submitted with ${project}`, () => ann.submit(entries));
    await ann.close();
  };

  // Before any project is connected.
  for (const person of [ann, bob]) {
    await type(person, "", "logs webhooks", "projects");
    await step(`the home of ${person.name}, without projects`, () => person.openHome());
  }
  await type(bob, "connect");
  await bob.close();
  await connect(demo.service.url, "demo", "mo_not_known");
  await connect(demo.service.url, "demo", apiKey);

  await type(ann, "", "help", "help logs", "help summary", "help token", "help filters", "help times");
  await type(ann, "lgos", "logs webhooks sttus:500", "logs webhooks since:soon", apiKey);

  for (const kind of KINDS) {
    await type(ann, `logs ${kind}`);
    await choose(`details of one of the ${kind}`);
    await step(`what belongs to one of the ${kind}`, async () => {
      if (ann.modal?.submit === undefined) await ann.close();
      else await ann.submit();
    });
    await type(ann, `logs ${kind} as:compact last:5`, `summary ${kind}`);
  }
  await type(ann, "logs webhooks");
  await press("Older", "Newer", "CSV");
  await shareAndLookCloser();
  const nothing = "type:nothing.of.the.kind";
  await type(ann, "logs webhooks as:json last:5", `logs webhooks ${nothing}`, "logs webhooks in:nowhere");
  await type(ann, `summary webhooks ${nothing}`, "summary webhooks");
  await press("Chart of times", "Share here");
  await type(ann, "status", "why lobby since:1h");
  await press("Refresh");
  await shareAndLookCloser();
  await type(ann, "why clinic since:1m", "trace lobby since:1h");
  await choose("details of a line of a trace");
  await ann.close();
  await press("Older", "Newer", "CSV");
  await shareAndLookCloser();
  await type(ann, "trace nothing-of-the-kind", "live");
  await press("Refresh");
  await type(ann, "live lobby");

  await type(ann, "token lobby for:5m");
  await type(bob, "token lobby role:sendrecv for:30d");
  await type(ann, "token");
  await step("the token modal, submitted", () => ann.submit({ Channel: "lobby", Reason: "a check" }));
  for (const { callback_id } of app.shortcuts) {
    await step(`shortcut ${callback_id}`, () => ann.shortcut(callback_id));
    await ann.close();
  }
  for (const { callback_id } of app.messageShortcuts) {
    for (const text of ["Calls drop in lobby@demo, why?", "Has anybody had lunch?"]) {
      const message = await bob.says(text, { in: general });
      await step(`shortcut ${callback_id}: ${text}`, () => ann.messageShortcut(message, callback_id));
      await ann.close();
    }
  }

  for (const label of ["Approve", "Deny"]) {
    const request = () =>
      ann
        .sees(desk)
        .filter((message) => hasButton(message, label))
        .at(-1);
    await type(bob, "token lobby role:sendrecv for:1h");
    const refused = newest(bob);
    await step("approval is asked for", async () => {
      await fillIn(bob, refused, "Ask for approval…", { Reason: "a check" });
      await slack.until(request);
    });
    await pressIn(found(request(), "a request"), label);
  }
  await type(ann, "tokens");
  const tokens = newest(ann);
  await step("a token is revoked", () => fillIn(ann, tokens, "Revoke…", { "Their connections": ["disconnect"] }));
  await ann.close();
  for (const act of ["revoke lobby", "disconnect lobby", "disconnect nowhere", "resend since:30d", "enable event"]) {
    for (const person of [ann, bob]) {
      await type(person, act);
      await person.close();
    }
  }
  await type(ann, "tokens all", "deliveries", "endpoints", "audit", "audit as:json");
  for (const text of ["why lobby since:1h", "logs webhooks", "token lobby", "disconnect lobby", "lgos", ""]) {
    await step(`the mention ${text}`, () => bob.says(`${team.botMention} ${text}`, { in: general }));
  }

  const watch = "watch webhooks when:failed>50% over:10s";
  await type(ann, watch);
  await press("Would it have fired?");
  await type(ann, watch, "digest at:09:00");
  await press("Show it now");
  await type(ann, "digest", "watches");
  const list = newest(ann);
  await pressIn(list, "Test");
  const edits = { "Quiet hours": "22:00-07:00", "Also outside Slack": "https://events.example/hook" };
  await step("a watch is edited", () => fillIn(ann, list, "Edit…", edits));
  await ann.close();
  await pressIn(list, "End the digest");
  await pressIn(list, "Stop");
  await type(ann, watch);
  // The message of an incident is identified by a block of it.
  const incidentWith = (label: string): Promise<SeenMessage> =>
    slack.until(() =>
      ann
        .sees(general)
        .find((message) => JSON.stringify(message).includes('"block_id":"watch:') && hasButton(message, label)),
    );
  await step("an incident begins", async () => {
    demo.incident.begin();
    await incidentWith("Entries");
  });
  for (const label of ["Entries", "Summary", "I'm on it"]) await pressIn(await incidentWith(label), label);
  await step("the incident is muted", async () => {
    await ann.press(await incidentWith("Mute 1 h"), "Mute 1 h");
    await incidentWith("Unmute");
  });

  // With a second project.
  await connect(other.url, "other", "mo_any_key");
  await type(ann, "use demo", "projects");
  await type(bob, "use other for:workspace", "forget other");
  await step("the home of ann, with projects", () => ann.openHome());
  for (const label of ["Failing webhooks", "Summary", "Status", "Projects", "Help"]) {
    await pressIn(found(ann.home, "Ann's home"), label);
    await ann.close();
  }
  await type(ann, "logs sessions in:other", "watch webhooks failed in:other");
  // It refuses every key from now on.
  other.refuse();
  for (const person of [ann, bob]) await type(person, "status in:other");
  await type(ann, "forget other");
  await press("Remove other");
  await step("a watch of other is paused", () =>
    slack.until(() => ann.direct().some(({ text }) => text.includes("is paused"))),
  );
  await type(ann, "watches");
  await press("Resume");
  return [...pieces.values()];
}

const hasButton = (message: SeenMessage, label: string): boolean =>
  buttonsOf(message).some(({ text }) => text === label);

function firstOption({ blocks }: SeenMessage): string {
  const options = /"options":\[\{"text":\{"type":"plain_text","text":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(blocks));
  return String(JSON.parse(found(options?.[1], "a menu")));
}

function found<T>(what: T | undefined, name: string): T {
  if (what === undefined) throw new Error(`The tour through the bot expected ${name}, and there is none.`);
  return what;
}

/** Returns the messages and views in calls, in requests to response URLs, and in answers to submitted modals. */
function piecesOf({ what, detail }: TranscriptEntry, step: string): Piece[] {
  const args = what === "call" && isObject(detail.args) ? detail.args : {};
  const answer = what === "delivery" ? read(detail.body) : undefined;
  const pieces = [read(args.view), isObject(answer) && answer.view].filter(isObject).map((view): Piece => {
    return { name: `${step}: ${view.type === "home" ? "the home" : "a modal"}`, kind: "view", payload: view };
  });
  const blocks = read(args.blocks);
  if (!Array.isArray(blocks)) return pieces;
  return [...pieces, { name: `${step}: a message`, kind: "message", payload: { text: args.text, blocks } }];
}

const read = (given: unknown): unknown => (typeof given === "string" ? parseJson(given) : given);

const GOLDEN = join(import.meta.dirname, "../../../../packages/formatters/golden");

/** Returns the golden files of the formatters. Details of an entry become a modal, as the bot shows them. */
export async function goldenPieces(): Promise<Piece[]> {
  const files = (await readdir(GOLDEN)).filter((file) => file.endsWith(".slack.json")).sort();
  return Promise.all(
    files.map(async (file): Promise<Piece> => {
      const message: unknown = JSON.parse(await readFile(join(GOLDEN, file), "utf8"));
      if (!isObject(message)) throw new TypeError(`${file} holds no message.`);
      const name = `golden/${file}`;
      if (!file.includes(".detail.")) return { name, kind: "message", payload: message };
      const title = { type: "plain_text", text: "Entry" };
      return { name, kind: "view", payload: { type: "modal", title, blocks: message.blocks } };
    }),
  );
}
