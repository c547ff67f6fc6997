// Draws docs/images/cli.svg: what the command shows, asked of a fake service with a log that looks like one.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { textWidth } from "@media-ops/formatters/terminal";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { terminalPicture } from "./svg.mjs";

const COLUMNS = 104;
const commands = [
  ["logs", "webhooks", "status:0,4xx,5xx", "last:5"],
  ["summary", "webhooks", "since:20m"],
  ["token", "lobby", "role:recvonly", "for:10m"],
];

const service = createFakeMediaService();
const now = Date.now();
for (let at = 0; at < 400; at++) {
  const status = at % 11 === 0 ? 503 : at % 23 === 0 ? 404 : 200;
  const path = status === 503 ? "teams/video/rooms" : "media";
  service.add("webhooks", {
    timestamp: new Date(now - 2_000 - at * 2_900 - (at % 7) * 400).toISOString(),
    type: at % 3 ? "connection.created" : "session.created",
    url: `https://hooks.example/${path}`,
    status,
    elapsed_time_ms: status === 503 ? 1_200 + at : 40 + ((at * 37) % 90),
  });
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const { status, headers, body } = await service.fetch(`http://127.0.0.1${request.url}`, {
    method: request.method,
    headers: request.headers,
    body: Buffer.concat(chunks),
  });
  response.writeHead(status, Object.fromEntries(headers)).end(Buffer.from(await new Response(body).arrayBuffer()));
}).listen(0, "127.0.0.1");
await once(server, "listening");

const env = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  MEDIA_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  MEDIA_API_KEY: service.clientOptions.apiKey,
  MEDIA_PROJECT_ID: "demo",
  FORCE_COLOR: "1",
  COLUMNS: String(COLUMNS),
};
const main = new URL("../dist/main.js", import.meta.url).pathname;
const lines = [];
for (const words of commands) {
  const typed = words.map((word) => (/[<>]/.test(word) ? `'${word}'` : word)).join(" ");
  // Both outputs in the order in which a terminal shows them.
  const { stdout } = await promisify(execFile)(
    "sh",
    ["-c", 'exec 2>&1; exec "$@"', "sh", process.execPath, main, ...words],
    { env },
  );
  lines.push(`\u001b[32m$\u001b[39m \u001b[1mmedia ${typed}\u001b[22m`, ...stdout.trimEnd().split("\n"), "");
}
server.close();

const shortened = lines.slice(0, -1).map((line) => (line.startsWith("eyJ") ? `${line.slice(0, COLUMNS - 1)}…` : line));
mkdirSync(new URL("../../../docs/images", import.meta.url), { recursive: true });
const picture = terminalPicture(shortened, {
  columns: COLUMNS,
  title: "The command media in a terminal",
  widthOf: textWidth,
});
writeFileSync(new URL("../../../docs/images/cli.svg", import.meta.url), picture);
