import { relative } from "node:path";
import { readCommandLine } from "@media-ops/settings/command-line";
import type { Playground } from "./playground.js";

/** An invalid argument. The message lists the valid ones. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

export const helpText = `npx -y pnpm@12 start runs everything on this machine: the service with a demo project, a media server, the bot, and a
page that looks and works like Slack.

  --fresh       deletes all stored data first
  --port <n>    the port of the page (default: 4000)
  --help        prints this help

The data is stored in the folder .data, or in PLAYGROUND_DATA. With PLAYGROUND_PORTS=any everything listens on any free
port, for tests. If SLACK_BOT_TOKEN, SLACK_APP_TOKEN or SLACK_CLIENT_ID is set (in the environment or in the file .env),
the bot connects to the real Slack, and there is no page.
`;

/** Parses the arguments, of which `port` is the page's. Throws an ArgumentError. */
export function readArguments(args: readonly string[]) {
  const { given, faults } = readCommandLine(args, {
    name: "start",
    options: [{ name: "fresh" }, { name: "port", value: "<n>" }],
    commonOptions: [{ name: "help" }],
  });
  const [fault] = faults;
  if (fault !== undefined) throw new ArgumentError(fault);
  const { port } = given.values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new ArgumentError(`--port must be a number from 1 to 65535, but is "${port}". Example: --port 4100.`);
  }
  const { switches } = given;
  return {
    fresh: switches.has("fresh"),
    port: port === undefined ? undefined : Number(port),
    help: switches.has("help"),
  };
}

/** Returns the text to print after the start: the page's URL first, then the others. */
export function welcome(playground: Omit<Playground, "stop">, from: string): string {
  const { url, serviceUrl, internalUrl, botUrl, mediaApiUrl, projectId, realSlack } = playground;
  const [folder, keyFile] = [shortPath(playground.folder, from), shortPath(playground.keyFile, from)];
  const bot = {
    token: "the bot; without Socket Mode, Slack must be able to send requests to /slack/events there",
    oauth: `the bot; after installing it, run /media connect with ${serviceUrl} and ${projectId}`,
  };
  const rows = [
    ...(url === undefined ? [] : [[url, "Slack with Media Ops in it: open this, and type /media"] as const]),
    ...(realSlack === undefined ? [] : [[botUrl, bot[realSlack]] as const]),
    [`${serviceUrl}/docs`, "the service's API reference, with operations to try"],
    [`${internalUrl}/metrics`, "its internal listener: intake, health and metrics"],
    [mediaApiUrl, "the fake media server's API"],
    [keyFile, `the API key of the project ${projectId}: keep it secret`],
  ] as const;
  const width = Math.max(...rows.map(([place]) => place.length));
  const connected = url === undefined ? ", and its bot is connected to the real Slack: type /media there" : "";
  return `
Media Ops is running${connected}.

${rows.map(([place, about]) => `  ${place.padEnd(width)}  ${about}`).join("\n")}

  curl -X POST ${serviceUrl}/orgs/list-webhook-logs -H "Authorization: Bearer $(cat ${quoted(keyFile)})"

Ctrl-C stops it. Its data is in ${folder}; npx -y pnpm@12 start --fresh deletes that first.
`;
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** Returns a path relative to the folder in which the playground was started. */
function shortPath(path: string, from: string): string {
  const short = relative(from, path);
  return short.startsWith("..") || short === "" ? path : short;
}
