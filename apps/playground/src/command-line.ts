import { relative } from "node:path";
import type { Playground } from "./playground.js";

/** What can be asked of a start. */
export interface Arguments {
  /** Whether to begin anew. */
  readonly fresh: boolean;
  /** The page's port. */
  readonly port: number | undefined;
  readonly help: boolean;
}

/** What was typed cannot be understood; the message says what can be. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

const names = ["--fresh", "--port", "--help"];

export const helpText = `npx -y pnpm@12 start runs all of it on this machine: the service with a demo project, a media server, the bot, and a page
that looks and works like Slack.

  --fresh       deletes what it has kept, and begins anew
  --port <n>    the port of the page; by itself 4000
  --help        says this

It is kept in the folder .data, or in the one that PLAYGROUND_DATA names. With PLAYGROUND_PORTS=any everything listens
where it can, as tests want it. With SLACK_BOT_TOKEN, SLACK_APP_TOKEN or
SLACK_CLIENT_ID set (in the environment or in the file .env), the bot talks to the real Slack, and there is no page.
`;

/**
 * Reads what was typed.
 *
 * @throws {ArgumentError} which says what was not understood, and what would be.
 */
export function readArguments(args: readonly string[]): Arguments {
  // pnpm passes on the "--" that npm wants.
  const words = args.filter((word) => word !== "--").flatMap((word) => cut(word));
  let fresh = false;
  let help = false;
  let port: number | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--fresh") fresh = true;
    else if (word === "--help" || word === "-h") help = true;
    else if (word === "--port") port = readPort(words[++at]);
    else throw new ArgumentError(`There is no option ${word}. There are: ${names.join(", ")}.`);
  }
  return { fresh, port, help };
}

/** `--port=4100` is two words. */
function cut(word: string): string[] {
  const at = word.indexOf("=");
  return at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function readPort(text: string | undefined): number {
  const port = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
  if (port >= 1 && port <= 65_535) return port;
  const seen = text === undefined ? "" : `, not ${text}`;
  throw new ArgumentError(`--port is a number from 1 to 65535${seen}: --port 4100.`);
}

/** What is said when all of it runs: what to open first, and what else is where. */
export function welcome(playground: Playground, from: string): string {
  const { url, serviceUrl, insideUrl, botUrl, mediaApiUrl, projectId, realSlack } = playground;
  const folder = shortPath(playground.folder, from);
  const keyFile = shortPath(playground.keyFile, from);
  const rows: [string, string][] = [
    [`${serviceUrl}/docs`, "the service, with its operations to try"],
    [`${insideUrl}/metrics`, "its inner side: intake, health and metrics"],
    [mediaApiUrl, "the pretended media server's API"],
    [keyFile, `the API key of the project ${projectId}: for your eyes alone`],
  ];
  if (realSlack) rows.unshift([botUrl, wordsFor(realSlack, playground)]);
  if (url !== undefined) rows.unshift([url, "Slack, as it looks with Media Ops in it: open this, and type /media"]);
  const width = Math.max(...rows.map(([place]) => place.length));
  return [
    "",
    url === undefined ? "Media Ops runs, and its bot talks to the real Slack: type /media there." : "Media Ops runs.",
    "",
    ...rows.map(([place, about]) => `  ${place.padEnd(width)}  ${about}`),
    "",
    `  curl -X POST ${serviceUrl}/orgs/list-webhook-logs -H "Authorization: Bearer $(cat ${quoted(keyFile)})"`,
    "",
    `Ctrl-C ends it. What it keeps is in ${folder}; npx -y pnpm@12 start --fresh begins anew.`,
    "",
  ].join("\n");
}

function wordsFor(access: "token" | "oauth", { serviceUrl, projectId }: Playground): string {
  return access === "token"
    ? "the bot; without Socket Mode, Slack's requests must come to /slack/events there"
    : `the bot; once it is installed, /media connect with ${serviceUrl} and ${projectId}`;
}

/** As a shell takes it for one word. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** As it would be typed where all this was started. */
function shortPath(path: string, from: string): string {
  const short = relative(from, path);
  return short.startsWith("..") || short === "" ? path : short;
}
