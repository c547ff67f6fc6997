import { lostOf, type MediaSums } from "../courier.js";
import { type FakeMedia, startFakeMedia } from "../fake-media.js";
import { type Attempt, holdConnections, runTraffic, type TrafficSums } from "../traffic.js";
import { type CliOptions, incidentHelp, optionTable, parseOptions } from "./options.js";

/** The environment of the command. */
export interface Surroundings {
  /** Standard output. */
  write(text: string): void;
  /** Standard error. */
  complain(text: string): void;
  /** Disconnects all clients, and stops the command. */
  signal: AbortSignal;
}

// Often enough to show progress, rarely enough to scroll back.
const PROGRESS_MS = 5000;

/** Runs the command; returns the exit code: 0 on success, 1 if any event was lost, 2 for an invalid option. */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === "help") {
    surroundings.write(helpText());
    return 0;
  }
  if (parsed.kind === "faults") {
    surroundings.complain(`${parsed.faults.join("\n")}\n`);
    return 2;
  }
  return carryOut(parsed.options, withoutSecrets(parsed.options, surroundings));
}

/** Redacts secrets in all output: the intake's responses might hold the key or the token. */
function withoutSecrets(
  { key, token = "", expiredToken = "", fullToken = "" }: CliOptions,
  { write, complain, signal }: Surroundings,
): Surroundings {
  // Shorter texts are not secrets, and are part of many words.
  const secrets = [key, token, expiredToken, fullToken].filter(({ length }) => length >= 8);
  const hide = (text: string): string => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
  return { write: (text) => write(hide(text)), complain: (text) => complain(hide(text)), signal };
}

async function carryOut(options: CliOptions, { write, complain, signal }: Surroundings): Promise<number> {
  const media = await start(options).catch((error: unknown) => explainStart(error, options));
  if (typeof media === "string") {
    complain(media);
    return 1;
  }
  complain(`MEDIA_UPSTREAM_URL=${media.apiUrl}\n`);

  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const progress = setInterval(() => complain(progressText(seconds(), media.connections, media.sums)), PROGRESS_MS);
  let incidents: TrafficSums["incidents"];
  try {
    const result = await run(media, options, signal, complain);
    if (typeof result === "string") {
      complain(result);
      return 1;
    }
    incidents = result;
  } finally {
    clearInterval(progress);
    await media.close();
  }
  const sums = { ...media.sums, incidents };
  write(
    options.json
      ? `${JSON.stringify({ seconds: Number(seconds().toFixed(3)), lost: lostOf(sums), ...sums })}\n`
      : summaryText(seconds(), sums),
  );
  return lostOf(media.sums) > 0 ? 1 : 0;
}

function start({ intakeUrl, key, keyIn, seed, token, reportsConnections, ...options }: CliOptions): Promise<FakeMedia> {
  const { twice, late, outOfOrder, apiPort, nodes } = options;
  return startFakeMedia({
    intakeUrl,
    intakeKey: key,
    keyIn,
    seed,
    reportsConnections,
    apiPort,
    misbehaviour: { twice, late, outOfOrder },
    // The command may run for hours.
    keepsRecords: false,
    ...(nodes[0] !== undefined && { nodeName: nodes[0] }),
    ...(token !== undefined && { accessToken: () => token }),
  });
}

function explainStart(error: unknown, { apiPort }: CliOptions): string {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `Port ${apiPort} is taken. Choose another with --api-port, or leave it out for any free one.\n`;
  }
  throw error;
}

/** Runs the traffic; returns what its incidents caused, or an explanation if the first client shows that it cannot work. */
async function run(
  media: FakeMedia,
  options: CliOptions,
  signal: AbortSignal,
  complain: (text: string) => void,
): Promise<TrafficSums["incidents"] | string> {
  const { channels, projects, nodes, clients, incidents, rate, forMs, connections, intakeUrl } = options;
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  let isFirst = true;
  let hopeless: string | undefined;
  const onConnect = (client: Attempt): void => {
    if (isFirst && !ended.aborted) {
      hopeless = explainFirst(client, intakeUrl);
      if (hopeless !== undefined) {
        stop.abort();
        // Otherwise each connecting client would wait for a response.
        void media.close({ abrupt: true });
      }
    }
    isFirst = false;
  };

  const shared = { channels, projects, clients, onConnect, signal: ended, ...(nodes.length > 0 && { nodes }) };
  if (connections === undefined) {
    const sums = await runTraffic(media, { ...shared, rate, incidents, ...(forMs !== undefined && { for: forMs }) });
    return hopeless ?? sums.incidents;
  }
  const held = await holdConnections(media, { ...shared, connections });
  if (hopeless === undefined) complain(`${held.clients.length} connections are held.\n`);
  if (forMs !== undefined) await media.pass(forMs, ended);
  else while (!ended.aborted) await media.pass(PROGRESS_MS, ended);
  await held.release();
  return hopeless ?? [];
}

function explainFirst(client: Attempt, address: string): string | undefined {
  if (client.allowed) return undefined;
  // The path may hold a key.
  const intakeUrl = new URL(address).origin;
  const { status, reason } = client;
  if (status === undefined) {
    return `No answer from ${intakeUrl}. ${reason} Is the service running, and is this its internal listener?\n`;
  }
  if (status === 401 || status === 403) {
    return `The intake at ${intakeUrl} refused the key with ${status}. Make an intake key for this service, and give it with --key.\n`;
  }
  if (status === 404) {
    return `There is no intake at ${intakeUrl}: it answered 404. Give the service's internal listener with --intake, such as http://127.0.0.1:8081.\n`;
  }
  return undefined;
}

export function helpText(): string {
  const options = Object.entries(optionTable).map(([name, option]): [string, string] => [
    `--${name}${"value" in option ? ` ${option.value}` : ""}`,
    option.help,
  ]);
  return `Usage: pnpm fake-media --intake URL --key KEY [options]

Plays a media server to the service: clients connect and disconnect, and their events are delivered.
Ctrl-C disconnects all clients and ends it; a second Ctrl-C ends it at once.

${twoColumns(options)}

Incidents, each with its start and duration, such as turn-outage:node-2@10m+5m:
${twoColumns(Object.entries(incidentHelp))}

Exit code: 0 if all went well, 1 if anything was lost or the intake did not answer, 2 for a wrong option.
`;
}

function twoColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}

/** One line with the progress. */
function progressText(seconds: number, connected: number, sums: MediaSums): string {
  const acknowledged = Object.values(sums.events).reduce((sum, event) => sum + event.acknowledged, 0);
  const lost = lostOf(sums);
  return `${Math.round(seconds)} s: ${sums.attempts} attempts, ${sums.allowed} allowed, ${connected} connected, ${acknowledged} events acknowledged${lost > 0 ? `, ${lost} lost` : ""}\n`;
}

/** The summary as text. */
function summaryText(seconds: number, sums: TrafficSums): string {
  const { attempts, allowed, refused, sessions, connections, receivedBytes, sentBytes, requests, incidents } = sums;
  const events = Object.entries(sums.events).sort(([a], [b]) => (a < b ? -1 : 1));
  const repeats = requests - events.reduce((sum, [, { sent }]) => sum + sent, 0);
  const lost = lostOf(sums);
  return [
    `After ${seconds.toFixed(1)} s`,
    "",
    `Clients      ${attempts} wanted to connect, ${allowed} were allowed, ${attempts - allowed} refused`,
    ...Object.entries(refused).map(([reason, times]) => `             ${times} × ${reason}`),
    `Sessions     ${sessions} ended and acknowledged`,
    `Connections  ${connections} ended and acknowledged`,
    `Bytes        ${receivedBytes} received, ${sentBytes} sent, by these connections`,
    `Requests     ${requests} with events${repeats > 0 ? `, ${repeats} of them repeated` : ""}`,
    ...incidents.map(({ kind, failed, refused }) => `Incident     ${kind}: ${failed} failed, ${refused} refused`),
    "",
    ...table(
      ["Event", "sent", "acknowledged", "lost"],
      events.map(([type, event]) => [type, `${event.sent}`, `${event.acknowledged}`, `${event.lost}`]),
    ),
    "",
    lost > 0
      ? `${lost} lost: the intake's answer was no 2xx, or there was none. What it lists must be short of these.`
      : "Nothing was lost.",
    "",
  ].join("\n");
}

/** Names aligned left, numbers aligned right. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [heads, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
