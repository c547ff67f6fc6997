// Draws docs/images/cli.svg: the output of a few commands, from a fake service with a realistic log.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { textWidth } from "@media-ops/formatters/terminal";
import { createFakeMediaService } from "@media-ops/sdk/testing";

const CELL = { width: 8.4, height: 19 };
const MARGIN = { x: 18, top: 44, bottom: 16 };
const COLORS = { 1: "#ffffff", 2: "#8b949e", 31: "#ff7b72", 32: "#56d364", 33: "#e3b341" };

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const COLUMNS = 104;
const commands = [
  ["why", "lobby", "since:20m"],
  ["trace", "camera-7", "since:20m"],
  ["logs", "webhooks", "failed", "last:3"],
  ["token", "lobby", "role:recvonly", "for:10m"],
];

const service = createFakeMediaService();
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
for (let at = 0; at < 400; at++) {
  const status = at % 11 === 0 ? 503 : at % 23 === 0 ? 404 : 200;
  const path = status === 503 ? "teams/video/rooms" : "media";
  service.add("webhooks", {
    timestamp: ago(2 + at * 2.9 + (at % 7) * 0.4),
    type: at % 3 ? "connection.created" : "session.created",
    url: `https://hooks.example/${path}`,
    status,
    elapsed_time_ms: status === 503 ? 1_200 + at : 40 + ((at * 37) % 90),
  });
}

const idOf = (name, at) => `${name}${String(at).padStart(26 - name.length, "0")}`;
const event = (type, seconds, client_id, more) =>
  service.add("events", { timestamp: ago(seconds), type, client_id, ...more });
// A node's TURN server is down, and one client tries again and again with a token that has expired.
for (let at = 0; at < 64; at++) {
  const connection_id = idOf("0J9V6TQ2", at);
  const [client, seconds] = [`camera-${at % 40}`, 1100 - at * 15];
  if (at % 3 === 0) {
    const failure = { outcome: "failed", reason: "ice-timeout", media_reason: "ICE-TIMEOUT", elapsed_time_ms: 20_140 };
    event("connection.failed", seconds, client, { connection_id, node_name: "node-2", ...failure });
  } else {
    event("connection.created", seconds, client, { connection_id });
    event("connection.destroyed", seconds - 14, client, { connection_id, elapsed_time_ms: 14_000 });
  }
}
for (let minute = 0; minute < 12; minute++) {
  const connection_id = idOf("4EXK7C3R", minute);
  const refused = { outcome: "refused", reason: "expired", connection_id };
  event("admission.refused", 720 - minute * 60, "kiosk-3", { ...refused, count: 66 });
}
event("admission.refused", 95, "camera-7", {
  connection_id: idOf("8ZB5HW1N", 1),
  outcome: "refused",
  reason: "channel-full",
  detail: "5 of 5",
});

const server = createServer(async (request, response) => {
  const { method, headers } = request;
  const body = Buffer.concat(await request.toArray());
  const answer = await service.fetch(`http://127.0.0.1${request.url}`, { method, headers, body });
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
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
  // Merges both outputs in the order in which a terminal shows them.
  const merged = ["-c", 'exec 2>&1; exec "$@"', "sh", process.execPath, main, ...words];
  const { stdout } = await promisify(execFile)("sh", merged, { env });
  lines.push(`\u001b[32m$\u001b[39m \u001b[1mmedia ${words.join(" ")}\u001b[22m`, ...stdout.trimEnd().split("\n"), "");
}
server.close();

// A line without colours, as the others fit: the token, and commands with exact times.
const shorten = (line) =>
  textWidth(line) > COLUMNS && !line.includes("\u001b") ? `${line.slice(0, COLUMNS - 1)}…` : line;
const shortened = lines.slice(0, -1).map(shorten);
writeFileSync(new URL("../../../docs/images/cli.svg", import.meta.url), terminalPicture(shortened));

/** Applies a colour code: 22 ends bold and faint, 39 a colour. */
function after(codes, code) {
  if (code === 22) return codes.filter((one) => one > 2);
  if (code === 39) return codes.filter((one) => one <= 2);
  return [...codes, code];
}

function drawLine(line, row) {
  let column = 0;
  let codes = [];
  // Texts, with a colour code between each two.
  const parts = line.split("\u001b[").flatMap((part, at) => (at === 0 ? [part] : part.split(/m(.*)/s, 2)));
  return parts
    .map((text, at) => {
      if (at % 2 === 1) codes = after(codes, Number(text));
      if (at % 2 === 1 || text === "") return "";
      const width = textWidth(text);
      const x = MARGIN.x + column * CELL.width;
      column += width;
      if (text.trim() === "") return "";
      const color = codes.map((code) => COLORS[code]).findLast((one) => one !== undefined);
      const style = `${color ? ` fill="${color}"` : ""}${codes.includes(1) ? ' font-weight="bold"' : ""}`;
      // An explicit length keeps columns aligned in any font.
      return `<tspan x="${x.toFixed(1)}" y="${MARGIN.top + row * CELL.height}" textLength="${(width * CELL.width).toFixed(1)}"${style}>${escaped(text)}</tspan>`;
    })
    .join("");
}

/** Draws these lines in a terminal window. */
function terminalPicture(lines) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN.x);
  const height = Math.ceil(MARGIN.top + lines.length * CELL.height + MARGIN.bottom);
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The command media in a terminal">
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${dots.join("")}
<text xml:space="preserve" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="#e6edf3">
${lines.map((line, row) => drawLine(line, row)).join("\n")}
</text>
</svg>
`;
}
