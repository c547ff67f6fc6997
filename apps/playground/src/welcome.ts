import { relative } from "node:path";
import type { Playground } from "./playground.js";

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
