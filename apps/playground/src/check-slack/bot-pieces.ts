import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, readConfig, startBot } from "@media-ops/bot";
import { startFakeSlack } from "@media-ops/fake-slack";
import { readAppInfo } from "../app-info.js";
import { startDemo } from "../demo/demo.js";
import { anyPorts, choosePorts } from "../ports.js";
import { createStops, type Stops } from "../stops.js";
import type { Piece } from "./piece.js";
import { recordPieces } from "./recorder.js";
import { type OtherService, tour } from "./tour.js";

/**
 * All that the bot shows on a tour through everything that people can do with it, over a Slack of its own. Keys and tokens
 * in it are those of a project that is deleted at the end.
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
  const demo = await startDemo({ folder, ports, env: {}, logTo: quiet, now: Date.now, stops, tell: () => {} });
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
