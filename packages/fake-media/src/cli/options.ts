import { readCommandLine } from "@media-ops/settings/command-line";
import { plainUrl } from "../intake.js";
import { type Incident, isWithin } from "../script.js";

/** The parsed command line. */
export interface CliOptions {
  intakeUrl: string;
  key: string;
  keyIn: "header" | "path";
  projects: readonly string[];
  channels: number;
  rate: number;
  forMs: number | undefined;
  /** The number of connections to open and hold; undefined if clients come and go. */
  connections: number | undefined;
  seed: number;
  token: string | undefined;
  expiredToken: string | undefined;
  fullToken: string | undefined;
  /** Empty if there is only the media server's own. */
  nodes: readonly string[];
  clients: number;
  incidents: readonly Incident[];
  twice: number;
  late: number;
  outOfOrder: number;
  apiPort: number;
  reportsConnections: boolean;
  json: boolean;
}

/** The options, or the faults of the command line. */
export type ParsedOptions =
  | { readonly kind: "run"; readonly options: CliOptions }
  | { readonly kind: "help" }
  | { readonly kind: "faults"; readonly faults: readonly string[] };

// That of the traffic.
const DEFAULT_FOR_MS = 60_000;

interface OptionHelp {
  /** The placeholder for its value; without one, the option is a switch. */
  readonly value?: string;
  readonly isRepeatable?: true;
  readonly help: string;
}

/** The options of the command, as its help shows them. */
export const optionTable = {
  intake: { value: "URL", help: "where to deliver, such as http://127.0.0.1:8081 (needed)" },
  key: { value: "KEY", help: "the intake key (needed)" },
  "key-in-path": { help: "send the key in the path, not in the Authorization header" },
  project: { value: "ID", isRepeatable: true, help: "a project; may be repeated (demo)" },
  channels: { value: "N", help: "how many channels (20)" },
  rate: { value: "N", help: "new connections a second (10)" },
  for: { value: "TIME", help: "how long: 500ms, 60s, 5m (60s; with --connections until Ctrl-C)" },
  connections: { value: "N", help: "open N connections and hold them, without other traffic" },
  token: { value: "JWT", help: "the access token that all clients bring" },
  node: { value: "NAME", isRepeatable: true, help: "a node; may be repeated (fake-media@127.0.0.1)" },
  clients: { value: "N", help: "how many clients have an id, client-1 and so on (0)" },
  incident: { value: "INCIDENT", isRepeatable: true, help: "an incident, see below; may be repeated" },
  "expired-token": { value: "JWT", help: "the access token of incident expired-token" },
  "full-token": { value: "JWT", help: "the access token of incident channel-full" },
  "no-counts": { help: "do not tell auth how many are in the channel" },
  twice: { value: "SHARE", help: "share of events that are sent twice, 0 to 1 (0)" },
  late: { value: "SHARE", help: "share of events that come late, 0 to 1 (0)" },
  "out-of-order": { value: "SHARE", help: "share of events that change places, 0 to 1 (0)" },
  seed: { value: "N", help: "the same seed gives the same traffic (1)" },
  "api-port": { value: "PORT", help: "the port of the media server's own API; 0 is any (0)" },
  json: { help: "answer with one line of JSON" },
  help: { help: "show this" },
} as const satisfies Record<string, OptionHelp>;

type OptionName = keyof typeof optionTable;

/** Parses the command line; each fault says what is expected. No value is repeated: it may be a key. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  const commandLine = readCommandLine(args, {
    name: "fake-media",
    options: Object.entries(optionTable).map(([name, option]: [string, OptionHelp]) => ({ name, ...option })),
    commonOptions: [],
  });
  const { given } = commandLine;
  const faults = [...commandLine.faults];
  if (given.switches.has("help")) return { kind: "help" };
  const textOf = (name: OptionName): string | undefined => given.values[name];
  const isOn = (name: OptionName): boolean => given.switches.has(name);

  function number(name: OptionName, standard: number, is: (value: number) => boolean, right: string): number {
    const text = textOf(name);
    if (text === undefined) return standard;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (is(value)) return value;
    faults.push(`--${name} must be ${right}.`);
    return standard;
  }

  const isWhole = (min: number, max: number) => (value: number) =>
    Number.isSafeInteger(value) && value >= min && value <= max;
  const whole = (name: OptionName, standard: number, min: number, max: number): number =>
    number(name, standard, isWhole(min, max), `a whole number from ${min} to ${max}`);
  const share = (name: OptionName): number =>
    number(name, 0, (value) => value >= 0 && value <= 1, "a share from 0 to 1, such as 0.1");

  const duration = textOf("for");
  const forMs = duration === undefined ? undefined : parseDuration(duration);
  if (duration !== undefined && forMs === undefined) {
    faults.push("--for must be a time longer than 0, such as 500ms, 60s or 5m.");
  }
  const key = textOf("key") ?? "";
  if (key === "") faults.push("--key is missing: give the intake key that the service has made.");
  else if (!/^[\x21-\x7e]+$/.test(key)) faults.push("--key must be printable ASCII without spaces.");
  const projects = given.lists.project ?? ["demo"];
  if (projects.some((id) => id === "" || id.includes("@") || Buffer.byteLength(id) > 200)) {
    faults.push("--project must be the id of a project, such as demo: without @, at most 200 bytes.");
  }
  const connections = textOf("connections") === undefined ? undefined : whole("connections", 1, 1, 1_000_000);
  const nodes = given.lists.node ?? [];
  if (nodes.some((name) => name === "" || Buffer.byteLength(name) > 255)) {
    faults.push("--node must be the name of a node, such as node-1: at most 255 bytes.");
  }
  const [expiredToken, fullToken] = [textOf("expired-token"), textOf("full-token")];
  const circumstances = { projects, nodes, forMs: forMs ?? DEFAULT_FOR_MS, expiredToken, fullToken };
  const parsedIncidents = (given.lists.incident ?? []).map((text) => parseIncident(text, circumstances));
  const incidents = parsedIncidents.filter((incident) => typeof incident !== "string");
  faults.push(...parsedIncidents.filter((incident) => typeof incident === "string"));

  const options: CliOptions = {
    intakeUrl: readIntakeUrl(textOf("intake"), faults),
    key,
    keyIn: isOn("key-in-path") ? "path" : "header",
    projects,
    channels: whole("channels", 20, 1, 1_000_000),
    rate: number("rate", 10, (value) => value > 0 && value <= 100_000, "a number above 0, at most 100000"),
    forMs,
    connections,
    seed: number("seed", 1, isWhole(0, Number.MAX_SAFE_INTEGER), "a whole number from 0 on"),
    token: textOf("token"),
    expiredToken,
    fullToken,
    nodes,
    clients: whole("clients", 0, 0, 1_000_000),
    incidents,
    twice: share("twice"),
    late: share("late"),
    outOfOrder: share("out-of-order"),
    apiPort: number("api-port", 0, isWhole(0, 65_535), "a port from 0 to 65535"),
    reportsConnections: !isOn("no-counts"),
    json: isOn("json"),
  };
  for (const [name, isGiven] of [
    ["rate", textOf("rate") !== undefined],
    ["incident", incidents.length > 0],
  ]) {
    if (connections === undefined || !isGiven) continue;
    faults.push(`--${name} and --connections do not go together: with --connections no other clients connect.`);
  }
  return faults.length > 0 ? { kind: "faults", faults } : { kind: "run", options };
}

function readIntakeUrl(text: string | undefined, faults: string[]): string {
  if (text === undefined) {
    faults.push("--intake is missing: give the URL of the service's internal listener, such as http://127.0.0.1:8081.");
    return "";
  }
  const url = plainUrl(text);
  if (!url) {
    faults.push(
      "--intake must be an http:// address without user, query and fragment, such as http://127.0.0.1:8081 or http://127.0.0.1:8081/intake.",
    );
    return "";
  }
  return url.pathname === "/" ? `${url.origin}/intake` : url.href.replace(/\/+$/, "");
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

/** The other options on which incidents depend. */
interface Circumstances {
  /** The projects; a channel without project is in the first one. */
  readonly projects: readonly string[];
  readonly nodes: readonly string[];
  readonly forMs: number;
  readonly expiredToken: string | undefined;
  readonly fullToken: string | undefined;
}

const FORM = `--incident must be one of ${Object.keys(incidentHelp).join(", ")}, then its start and duration, such as @10m+5m.`;

/** Parses an incident, or returns what is wrong with it, without its values: they may be keys. */
function parseIncident(text: string, circumstances: Circumstances): Incident | string {
  const [, kind, what = "", start = "", duration = ""] = /^([a-z-]+):(.+)@(\w[\w.]*)\+(\w[\w.]*)$/.exec(text) ?? [];
  const at = /^0(ms|s|m|h)$/.test(start) ? 0 : parseDuration(start);
  const lasts = parseDuration(duration);
  if (kind === undefined || at === undefined || lasts === undefined) return FORM;
  const incident = ofKind(kind, what, { at, for: lasts }, circumstances);
  if (typeof incident === "string" || isWithin(incident, circumstances.forMs)) return incident;
  return incident.kind === "turn-outage"
    ? "--incident turn-outage must end 20.5s before --for does, so that its last client fails within it."
    : `--incident ${incident.kind} must end before --for does.`;
}

function ofKind(
  kind: string,
  what: string,
  time: Pick<Incident, "at" | "for">,
  { projects, nodes, expiredToken, fullToken }: Circumstances,
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
