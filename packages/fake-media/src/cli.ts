import { readCommandLine } from "@media-ops/settings/command-line";
import { lostOf, type MediaSums } from "./courier.js";
import { type FakeMedia, startFakeMedia } from "./fake-media.js";
import { plainUrl } from "./intake.js";
import { type Attempt, holdConnections, type Incident, isWithin, runTraffic, type TrafficSums } from "./traffic.js";

// That of the traffic.
const DEFAULT_FOR_MS = 60_000;

/** An option of the command: its help, and how its value is read. Without a placeholder, it is a switch. */
interface OptionRow<Value> {
  readonly value?: string;
  readonly isRepeatable?: true;
  readonly help: string;
  readonly standard: Value;
  /** The fault if it is not given. */
  readonly missing?: string;
  /** Reads its value, or all its values; undefined if they are wrong. */
  parse(text: string, texts: readonly string[]): Value | undefined;
  /** What its value must be. */
  readonly must?: string;
}

const row = <Value>(one: OptionRow<Value>) => one;
const number = (value: string, standard: number, help: string, must: string, is: (value: number) => boolean) =>
  row<number>({
    ...{ value, help: `${help} (${standard})`, standard, must },
    parse(text) {
      const given = text.trim() === "" ? Number.NaN : Number(text);
      return is(given) ? given : undefined;
    },
  });
const whole = (value: string, standard: number, help: string, min: number, max: number, must?: string) =>
  number(value, standard, help, must ?? `a whole number from ${min} to ${max}`, (given) => {
    return Number.isSafeInteger(given) && given >= min && given <= max;
  });
const share = (help: string) =>
  number("SHARE", 0, help, "a share from 0 to 1, such as 0.1", (given) => given >= 0 && given <= 1);
const isOn = (help: string) => row<boolean>({ help, standard: false, parse: () => true });
const token = (help: string) =>
  row<string | undefined>({ value: "JWT", help, standard: undefined, parse: (text) => text });
const names = (value: string, standard: string[], help: string, must: string, is: (name: string) => boolean) =>
  row<readonly string[]>({
    ...{ value, isRepeatable: true, help, standard, must },
    parse: (_, texts) => (texts.every(is) ? texts : undefined),
  });

/** The options of the command, as its help shows them. */
export const optionTable = {
  intake: row<string>({
    value: "URL",
    help: "where to deliver, such as http://127.0.0.1:8081 (needed)",
    standard: "",
    missing: "give the URL of the service's internal listener, such as http://127.0.0.1:8081.",
    must: "an http:// address without user, query and fragment, such as http://127.0.0.1:8081 or http://127.0.0.1:8081/intake",
    parse(text) {
      const url = plainUrl(text);
      return url?.pathname === "/" ? `${url.origin}/intake` : url?.href.replace(/\/+$/, "");
    },
  }),
  key: row<string>({
    value: "KEY",
    help: "the intake key (needed)",
    standard: "",
    missing: "give the intake key that the service has made.",
    must: "printable ASCII without spaces",
    parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
  }),
  "key-in-path": isOn("send the key in the path, not in the Authorization header"),
  project: names(
    "ID",
    ["demo"],
    "a project; may be repeated (demo)",
    "the id of a project, such as demo: without @, at most 200 bytes",
    (id) => id !== "" && !id.includes("@") && Buffer.byteLength(id) <= 200,
  ),
  channels: whole("N", 20, "how many channels", 1, 1_000_000),
  rate: number("N", 10, "new connections a second", "a number above 0, at most 100000", (given) => {
    return given > 0 && given <= 100_000;
  }),
  for: row<number | undefined>({
    value: "TIME",
    help: "how long: 500ms, 60s, 5m (60s; with --connections until Ctrl-C)",
    standard: undefined,
    must: "a time longer than 0, such as 500ms, 60s or 5m",
    parse: (text) => parseDuration(text),
  }),
  connections: row<number | undefined>({
    ...whole("N", 1, "", 1, 1_000_000),
    help: "open N connections and hold them, without other traffic",
    standard: undefined,
  }),
  token: token("the access token that all clients bring"),
  node: names(
    "NAME",
    [],
    "a node; may be repeated (fake-media@127.0.0.1)",
    "the name of a node, such as node-1: at most 255 bytes",
    (name) => name !== "" && Buffer.byteLength(name) <= 255,
  ),
  clients: whole("N", 0, "how many clients have an id, client-1 and so on", 0, 1_000_000),
  incident: names("INCIDENT", [], "an incident, see below; may be repeated", "", () => true),
  "expired-token": token("the access token of incident expired-token"),
  "full-token": token("the access token of incident channel-full"),
  "no-counts": isOn("do not tell auth how many are in the channel"),
  twice: share("share of events that are sent twice, 0 to 1"),
  late: share("share of events that come late, 0 to 1"),
  "out-of-order": share("share of events that change places, 0 to 1"),
  seed: whole("N", 1, "the same seed gives the same traffic", 0, Number.MAX_SAFE_INTEGER, "a whole number from 0 on"),
  "api-port": whole("PORT", 0, "the port of the media server's own API; 0 is any", 0, 65_535, "a port from 0 to 65535"),
  json: isOn("answer with one line of JSON"),
  help: isOn("show this"),
};

type Given = { [Name in keyof typeof optionTable]: (typeof optionTable)[Name]["standard"] };
type CliOptions = Given & { readonly incidents: readonly Incident[] };

/** Parses the command line; each fault says what is expected. No value is repeated: it may be a key. */
export function parseOptions(args: readonly string[]): { options: CliOptions; faults: readonly string[] } {
  const rows: [string, OptionRow<unknown>][] = Object.entries(optionTable);
  const { given, faults: wrong } = readCommandLine(args, {
    name: "fake-media",
    options: rows.map(([name, { value, isRepeatable, help }]) => {
      return { name, help, ...(value !== undefined && { value }), ...(isRepeatable && { isRepeatable }) };
    }),
    commonOptions: [],
  });
  const faults = [...wrong];
  const read = ([name, { value, standard, missing, parse, must }]: [string, OptionRow<unknown>]) => {
    const texts = value === undefined ? [] : (given.lists[name] ?? [given.values[name] ?? []].flat());
    const isGiven = value === undefined ? given.switches.has(name) : texts.length > 0;
    if (!isGiven && missing !== undefined) faults.push(`--${name} is missing: ${missing}`);
    if (!isGiven) return [name, standard];
    const parsed = parse(texts[0] ?? "", texts);
    if (parsed === undefined) faults.push(`--${name} must be ${must}.`);
    return [name, parsed ?? standard];
  };
  const options: Given = Object.fromEntries(rows.map(read));
  const parsed = options.incident.map((text) => parseIncident(text, options));
  const incidents = parsed.filter((incident) => typeof incident !== "string");
  faults.push(...parsed.filter((incident) => typeof incident === "string"));
  for (const [name, isGiven] of [
    ["rate", given.values.rate !== undefined],
    ["incident", incidents.length > 0],
  ]) {
    if (options.connections === undefined || !isGiven) continue;
    faults.push(`--${name} and --connections do not go together: with --connections no other clients connect.`);
  }
  return { options: { ...options, incidents }, faults };
}

const UNITS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds of `500ms`, `60s`, `5m` or `1h`; undefined if it is none of these. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(\w+)$/.exec(text) ?? [];
  const ms = Math.round(Number(amount) * (UNITS.get(unit) ?? Number.NaN));
  return ms > 0 ? ms : undefined;
}

/** How incidents are written, and what they are. */
export const incidentHelp = {
  "turn-outage:NODE": "clients that connect to the node fail after 20 s with ICE-TIMEOUT",
  "expired-token:CHANNEL": "the client retry-loop tries every 100 ms with the token of --expired-token",
  "channel-full:CHANNEL:SEATS": "guests take all seats with the token of --full-token, and 3 more try 4 times each",
} as const;

const FORM = `--incident must be one of ${Object.keys(incidentHelp).join(", ")}, then its start and duration, such as @10m+5m.`;

/** Parses an incident, or returns what is wrong with it, without its values: they may be keys. */
function parseIncident(text: string, options: Given): Incident | string {
  const [, kind, what = "", start = "", duration = ""] = /^([a-z-]+):(.+)@(\w[\w.]*)\+(\w[\w.]*)$/.exec(text) ?? [];
  const at = /^0(ms|s|m|h)$/.test(start) ? 0 : parseDuration(start);
  const lasts = parseDuration(duration);
  if (kind === undefined || at === undefined || lasts === undefined) return FORM;
  const incident = ofKind(kind, what, { at, for: lasts }, options);
  if (typeof incident === "string" || isWithin(incident, options.for ?? DEFAULT_FOR_MS)) return incident;
  return incident.kind === "turn-outage"
    ? "--incident turn-outage must end 20.5s before --for does, so that its last client fails within it."
    : `--incident ${incident.kind} must end before --for does.`;
}

function ofKind(
  kind: string,
  what: string,
  time: Pick<Incident, "at" | "for">,
  { project: projects, node: nodes, "expired-token": expiredToken, "full-token": fullToken }: Given,
): Incident | string {
  const channelOf = (name: string): string => (name.includes("@") ? name : `${name}@${projects[0]}`);
  switch (kind) {
    case "turn-outage":
      if (!nodes.includes(what)) return "--incident turn-outage must name a node that is given with --node.";
      return { kind, nodeName: what, ...time };
    case "expired-token":
      if (expiredToken === undefined) return "--incident expired-token needs a token: --expired-token JWT.";
      return { kind, channelId: channelOf(what), clientId: "retry-loop", accessToken: () => expiredToken, ...time };
    case "channel-full": {
      const [, name = "", seats = ""] = /^(.+):(\d{1,6})$/.exec(what) ?? [];
      if (Number(seats) < 1) return "--incident channel-full must have a channel and its seats, such as small:5.";
      if (fullToken === undefined) return "--incident channel-full needs a token: --full-token JWT.";
      return { kind, channelId: channelOf(name), seats: Number(seats), accessToken: () => fullToken, ...time };
    }
    default:
      return FORM;
  }
}

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
  const { options, faults } = parseOptions(args);
  if (options.help) {
    surroundings.write(helpText());
    return 0;
  }
  if (faults.length > 0) {
    surroundings.complain(`${faults.join("\n")}\n`);
    return 2;
  }
  return carryOut(options, withoutSecrets(options, surroundings));
}

/** Redacts secrets in all output: the intake's responses might hold the key or the token. */
function withoutSecrets(
  { key, token = "", "expired-token": expiredToken = "", "full-token": fullToken = "" }: CliOptions,
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

function start(options: CliOptions): Promise<FakeMedia> {
  const { twice, late, token, node } = options;
  return startFakeMedia({
    intakeUrl: options.intake,
    intakeKey: options.key,
    keyIn: options["key-in-path"] ? "path" : "header",
    seed: options.seed,
    reportsConnections: !options["no-counts"],
    apiPort: options["api-port"],
    misbehaviour: { twice, late, outOfOrder: options["out-of-order"] },
    // The command may run for hours.
    keepsRecords: false,
    ...(node[0] !== undefined && { nodeName: node[0] }),
    ...(token !== undefined && { accessToken: () => token }),
  });
}

function explainStart(error: unknown, { "api-port": apiPort }: CliOptions): string {
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
  const { channels, project: projects, node: nodes, clients, incidents, rate, for: forMs, connections } = options;
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  let isFirst = true;
  let hopeless: string | undefined;
  const onConnect = (client: Attempt): void => {
    if (isFirst && !ended.aborted) {
      hopeless = explainFirst(client, options.intake);
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
  const rows: [string, OptionRow<unknown>][] = Object.entries(optionTable);
  const options = rows.map(([name, { value = "", help }]) => [`--${name} ${value}`.trim(), help] as const);
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
      ? `${lost} lost: the intake answered them with another status than 2xx, or not at all. Its logs lack these events.`
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
