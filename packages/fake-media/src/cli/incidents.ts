import { type Incident, isWithin } from "../incidents.js";
import { parseDuration } from "./durations.js";

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

/** Parses the incidents of the command line. Faults do not repeat values, which may be keys. */
export function parseIncidents(texts: readonly string[], circumstances: Circumstances, faults: string[]): Incident[] {
  return texts.flatMap((text) => {
    const incident = parseIncident(text, circumstances);
    if (typeof incident === "object") return [incident];
    faults.push(incident);
    return [];
  });
}

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
