import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { type FakeSlack, startFakeSlack, type TranscriptEntry } from "@media-ops/fake-slack";
import { startDemo } from "../demo/demo.js";
import { anyPorts, choosePorts } from "../ports.js";
import { readAppInfo } from "../settings.js";
import { createStops, type Stops } from "../stops.js";
import { isObject, type Piece } from "./ask-slack.js";
import { type OtherService, tour } from "./tour.js";

/**
 * Everything that the bot shows on a tour through all of its features in a fake Slack. The keys and tokens in it belong to
 * a project that is deleted at the end.
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

const quiet = { write(): void {} };

async function piecesIn(folder: string, stops: Stops): Promise<readonly Piece[]> {
  const ports = await choosePorts(anyPorts, () => {});
  const demo = await startDemo({ folder, ports, env: {}, logTo: quiet, now: Date.now, stops, report: () => {} });
  const { scopes, commands, shortcuts } = await readAppInfo();
  const slack = await startFakeSlack({ scopes, commands: commands.map(({ name }) => name) });
  stops.add(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", isAdmin: true, timeZone: "Europe/Berlin" });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob] });
  const other = await startOther(stops);
  const bot = await startBot({
    config: readConfig({
      BOT_PORT: "0",
      BOT_DATABASE_URL: `sqlite:${join(folder, "bot.db")}`,
      SLACK_API_URL: slack.apiUrl,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
      SLACK_BOT_TOKEN: team.botToken,
    }),
    log: createLog({ level: "silent" }),
  });
  stops.add(() => bot.stop());
  slack.app.requestUrl = `${bot.url}/slack/events`;
  const recorder = recordPieces(slack);
  await tour({
    ann,
    bob,
    general,
    shortcuts: shortcuts.map(({ callbackId }) => callbackId),
    demo: { url: demo.service.url, apiKey: demo.apiKey },
    other,
    async step(name, act) {
      recorder.during = name;
      await act();
      await bot.settled();
    },
  });
  return recorder.pieces;
}

async function startOther(stops: Stops): Promise<OtherService> {
  let status = 200;
  const server = createServer((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end("[]");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  stops.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse() {
      status = 401;
    },
  };
}

const GOLDEN = join(import.meta.dirname, "../../../../packages/formatters/golden");

/** The golden files of the formatters; details of an entry as a modal, as the bot shows them. */
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

/** Records everything that the bot shows. */
interface Recorder {
  /** The current step, which names the pieces. */
  during: string;
  /** Without duplicates. */
  readonly pieces: readonly Piece[];
}

/** Records what an app sends: in calls, to response URLs, and in answers to submitted modals. */
function recordPieces(slack: FakeSlack): Recorder {
  const known = new Set<string>();
  const pieces: Piece[] = [];
  const recorder = { during: "", pieces };

  function add(kind: Piece["kind"], payload: Piece["payload"]): void {
    const text = JSON.stringify(payload);
    if (known.has(text)) return;
    known.add(text);
    const what = kind === "message" ? "a message" : payload.type === "home" ? "the home" : "a modal";
    pieces.push({ name: `${recorder.during}: ${what}`, kind, payload });
  }

  slack.watch((entry) => {
    const { view, message } = shownIn(entry);
    if (isObject(view)) add("view", view);
    if (isObject(message)) add("message", message);
  });
  return recorder;
}

function shownIn({ what, detail }: TranscriptEntry): { view?: unknown; message?: unknown } {
  if (what === "delivery") {
    const answer = read(detail.body);
    return { view: isObject(answer) ? answer.view : undefined };
  }
  if (what !== "call" || !isObject(detail.args)) return {};
  const { view, text } = detail.args;
  const blocks = read(detail.args.blocks);
  return { view: read(view), message: Array.isArray(blocks) ? { text, blocks } : undefined };
}

/** A value, or its JSON. */
function read(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
