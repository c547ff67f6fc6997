import { splitChannel } from "./values/channel.js";
import { fieldOf } from "./values/field.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { oneLine, textOf } from "./values/text.js";
import { type Clock, formatAgo } from "./values/time.js";

/** What a token says; times are seconds since 1970. Any claim may be missing, and others may be there. */
export interface TokenClaims {
  iat?: number | undefined;
  nbf?: number | undefined;
  exp?: number | undefined;
  jti?: string | undefined;
  channel_id?: string | undefined;
  role?: string | undefined;
  max_channel_connections?: number | undefined;
}

/** One thing that a token says. */
export interface TokenFact {
  title: string;
  text: string;
  /** What a time is in milliseconds since 1970, so that a printer can write it for each reader. */
  time?: number;
}

/** What a token allows: in one sentence, and fact by fact. */
export interface TokenWords {
  sentence: string;
  facts: TokenFact[];
}

const roles = new Map([
  ["sendrecv", "send and receive"],
  ["sendonly", "send"],
  ["recvonly", "receive"],
]);

/** What a token allows, in words. Claims of a wrong type are shown as they are. */
export function tokenWords(claims: TokenClaims, clock: Clock): TokenWords {
  const read = readClaims(claims);
  return {
    sentence: sentenceOf(read, clock.now),
    facts: [
      { title: "Channel", text: read.channel ?? "any channel of the project" },
      { title: "Role", text: read.role ?? "any" },
      { title: "Begins", ...timeFact(read.begins, "at once", clock) },
      { title: "Ends", ...timeFact(read.ends, "never", clock) },
      { title: "Limit", text: limitFact(read.limit) },
      { title: "Token id", text: textOf(fieldOf(claims, "jti")) },
    ],
  };
}

interface ReadClaims {
  channel: string | undefined;
  role: string | undefined;
  begins: number | undefined;
  ends: number | undefined;
  limit: unknown;
}

function readClaims(claims: TokenClaims): ReadClaims {
  const milliseconds = (name: keyof TokenClaims): number | undefined => {
    const seconds = fieldOf(claims, name);
    return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined;
  };
  const [channel, role] = [fieldOf(claims, "channel_id"), fieldOf(claims, "role")];
  return {
    channel: typeof channel === "string" ? channelWords(channel) : channel === undefined ? undefined : textOf(channel),
    role: role === undefined ? undefined : textOf(role),
    begins: milliseconds("nbf"),
    ends: milliseconds("exp"),
    limit: fieldOf(claims, "max_channel_connections"),
  };
}

function channelWords(id: string): string {
  const { name, project } = splitChannel(oneLine(id));
  return project ? `${textOf(name)} (project ${project})` : textOf(name);
}

function sentenceOf({ channel, role, begins, ends, limit }: ReadClaims, now: number): string {
  if (ends !== undefined && ends <= now) return `Is no longer good: it ended ${formatAgo(ends, now)}.`;
  if (ends !== undefined && begins !== undefined && ends <= begins) return "Is never good: it ends before it begins.";
  if (limit === 0) return "Refuses every connection, because its limit is 0.";
  const start = begins !== undefined && begins > now ? begins : undefined;
  const does = role === undefined ? "send and receive" : (roles.get(role) ?? role);
  return [
    `Lets its holder ${does} in ${channel ?? "any channel of the project"}`,
    start === undefined ? "" : `, beginning ${formatAgo(start, now)}`,
    ends === undefined ? ", without an end" : `, for ${formatDuration(ends - (start ?? now))}`,
    typeof limit === "number" ? `, while fewer than ${formatCount(limit)} are connected there` : "",
    ".",
  ].join("");
}

function timeFact(time: number | undefined, missing: string, clock: Clock): Pick<TokenFact, "text" | "time"> {
  if (time === undefined) return { text: missing };
  return { text: `${clock.full(time)} ${clock.timeZone} · ${formatAgo(time, clock.now)}`, time };
}

function limitFact(limit: unknown): string {
  if (limit === undefined) return "none";
  if (limit === 0) return "0: no connection is let in";
  return typeof limit === "number" ? `fewer than ${formatCount(limit)} connections in the channel` : textOf(limit);
}
