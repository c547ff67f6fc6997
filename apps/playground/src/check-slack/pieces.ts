import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { startFakeSlack, type TranscriptEntry } from "@media-ops/fake-slack";
import { startDemo } from "../demo/demo.js";
import type { IncidentPace } from "../demo/live-incident.js";
import { parseJson } from "../json.js";
import { anyPorts, choosePorts, serve } from "../ports.js";
import { readAppInfo } from "../settings.js";
import { createStops, type Stops } from "../stops.js";
import { isObject, type Piece } from "./ask-slack.js";
import { tour } from "./tour.js";

/**
 * Returns everything that the bot shows on a tour through all of its features in a fake Slack. Its keys and tokens
 * belong to a project that is deleted at the end.
 */
export async function botPieces(): Promise<readonly Piece[]> {
  const stops = createStops(() => {});
  const folder = await mkdtemp(join(tmpdir(), "check-slack-"));
  try {
    return await piecesIn(folder, stops);
  } finally {
    await stops.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

// So many webhooks fail in seconds that a watch notices, and they fail until the end.
const incidentPace: IncidentPace = { failsMs: 600_000, recoversMs: 0, visitEveryMs: 50, watchedOver: "10s" };

async function piecesIn(folder: string, stops: Stops): Promise<readonly Piece[]> {
  const ports = await choosePorts(anyPorts, () => {});
  const logTo = { write(): void {} };
  const demoOptions = { folder, ports, env: {}, logTo, incidentPace, now: Date.now, stops, report: () => {} };
  const demo = await startDemo(demoOptions);
  const { scopes, commands, shortcuts, messageShortcuts } = await readAppInfo();
  const slack = await startFakeSlack({
    scopes,
    commands: commands.map(({ command }) => command),
    messageShortcuts: messageShortcuts.map(({ callback_id }) => callback_id),
  });
  stops.add(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", isAdmin: true, timeZone: "Europe/Berlin" });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob], withBot: true });
  const desk = team.addChannel({ name: "media-audit", members: [ann, bob], withBot: true });
  const bot = await startBot({
    config: readConfig({
      BOT_AUDIT_CHANNEL: desk.id,
      BOT_PORT: "0",
      BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}`,
      SLACK_API_URL: slack.apiUrl,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_BOT_TOKEN: team.botToken,
    }),
    log: createLog({ level: "silent" }),
  });
  stops.add(() => bot.stop());
  stops.add(demo.stop);
  slack.app.requestUrl = `${bot.url}/slack/events`;
  // Keyed by JSON, because many pieces are shown several times.
  const pieces = new Map<string, Piece>();
  await tour({
    ...{ ann, bob, general, desk, botMention: team.botMention },
    shortcuts: shortcuts.map(({ callback_id }) => callback_id),
    messageShortcuts: messageShortcuts.map(({ callback_id }) => callback_id),
    demo: { url: demo.service.url, apiKey: demo.apiKey, beginIncident: demo.incident.begin },
    other: await startOther(stops),
    until: (probe) => slack.until(probe),
    async step(name, act) {
      const before = slack.transcript.length;
      await act();
      await bot.settled();
      for (const piece of slack.transcript.slice(before).flatMap((entry) => piecesOf(entry, name))) {
        const text = JSON.stringify(piece.payload);
        if (!pieces.has(text)) pieces.set(text, piece);
      }
    },
  });
  return [...pieces.values()];
}

/** Starts a service without entries, which refuses every key after `refuse` is called. */
async function startOther(stops: Stops): Promise<{ url: string; refuse(): void }> {
  let status = 200;
  const { url, stop } = await serve(0, (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
  stops.add(stop);
  return {
    url,
    refuse() {
      status = 401;
    },
  };
}

/** Returns the messages and views in calls, in requests to response URLs, and in answers to submitted modals. */
function piecesOf({ what, detail }: TranscriptEntry, step: string): Piece[] {
  const pieces: Piece[] = [];
  const args = what === "call" && isObject(detail.args) ? detail.args : {};
  const answer = what === "delivery" ? read(detail.body) : undefined;
  for (const view of [read(args.view), isObject(answer) && answer.view].filter(isObject)) {
    pieces.push({ name: `${step}: ${view.type === "home" ? "the home" : "a modal"}`, kind: "view", payload: view });
  }
  const blocks = read(args.blocks);
  if (Array.isArray(blocks)) {
    pieces.push({ name: `${step}: a message`, kind: "message", payload: { text: args.text, blocks } });
  }
  return pieces;
}

/** Parses JSON text. Returns other values unchanged. */
const read = (given: unknown): unknown => (typeof given === "string" ? parseJson(given) : given);

const GOLDEN = join(import.meta.dirname, "../../../../packages/formatters/golden");

/** Returns the golden files of the formatters. Details of an entry become a modal, as the bot shows them. */
export async function goldenPieces(folder = GOLDEN): Promise<Piece[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".slack.json")).sort();
  return Promise.all(
    files.map(async (file): Promise<Piece> => {
      const message: unknown = JSON.parse(await readFile(join(folder, file), "utf8"));
      if (!isObject(message)) throw new TypeError(`${file} holds no message.`);
      const name = `golden/${file}`;
      if (!file.includes(".detail.")) return { name, kind: "message", payload: message };
      const title = { type: "plain_text", text: "Entry" };
      return { name, kind: "view", payload: { type: "modal", title, blocks: message.blocks } };
    }),
  );
}
