import { fieldOf } from "./values/field.js";
import { formatCount, formatDuration } from "./values/numbers.js";
import { channelWords } from "./values/show.js";
import { textOf } from "./values/text.js";
import { type Clock, formatAgo, SECOND } from "./values/time.js";

/** The claims of a token; times are seconds since 1970. Any claim may be missing, and others may exist. */
export interface TokenClaims {
  iat?: number | undefined;
  nbf?: number | undefined;
  exp?: number | undefined;
  jti?: string | undefined;
  channel_id?: string | undefined;
  role?: string | undefined;
  max_channel_connections?: number | undefined;
}

/** One property of a token. */
export interface TokenFact {
  title: string;
  text: string;
  /** A time in milliseconds since 1970, for printers that write it for each reader. */
  time?: number;
}

/** What a token allows: in one sentence, and in detail. */
interface TokenWords {
  sentence: string;
  facts: TokenFact[];
  /** Whether it never expires. */
  isEndless: boolean;
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
      { title: "Begins", ...timeFact(read.nbf, "at once", clock) },
      { title: "Ends", ...timeFact(read.exp, "never", clock) },
      { title: "Limit", text: limitFact(read.limit) },
      { title: "Token id", text: textOf(fieldOf(claims, "jti")) },
    ],
    isEndless: read.exp === undefined,
  };
}

interface ReadClaims {
  channel: string | undefined;
  role: string | undefined;
  nbf: unknown;
  exp: unknown;
  limit: unknown;
}

function readClaims(claims: TokenClaims): ReadClaims {
  const claim = (name: keyof TokenClaims): unknown => fieldOf(claims, name);
  const [channel, role] = [claim("channel_id"), claim("role")];
  return {
    channel: typeof channel === "string" ? channelWords(channel) : channel === undefined ? undefined : textOf(channel),
    role: role === undefined ? undefined : textOf(role),
    nbf: claim("nbf"),
    exp: claim("exp"),
    limit: claim("max_channel_connections"),
  };
}

/** The time of a claim in milliseconds. */
function timeIn(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function sentenceOf({ channel, role, nbf, exp, limit }: ReadClaims, now: number): string {
  const [begins, ends] = [timeIn(nbf), timeIn(exp)];
  if (ends !== undefined && ends <= now) return `Has expired: it ended ${formatAgo(ends, now)}.`;
  if (ends !== undefined && begins !== undefined && ends <= begins) return "Is never valid: it ends before it begins.";
  if (limit === 0) return "Refuses every connection, because its limit is 0.";
  const start = begins !== undefined && begins > now ? begins : undefined;
  const does = role === undefined ? "send and receive" : (roles.get(role) ?? `act as ${role}`);
  return [
    `Lets its holder ${does} in ${channel ?? "any channel of the project"}`,
    start === undefined ? "" : `, beginning ${formatAgo(start, now)}`,
    exp === undefined ? ", without an end" : "",
    ends === undefined ? "" : `, for ${formatDuration(ends - (start ?? wholeSecond(now)))}`,
    typeof limit === "number" ? `, while fewer than ${formatCount(limit)} are connected there` : "",
    ".",
  ].join("");
}

// Token times are whole seconds: a token just made for ten minutes must not read as 9 min 59 s.
const wholeSecond = (time: number): number => Math.floor(time / SECOND) * SECOND;

function timeFact(claim: unknown, missing: string, clock: Clock): Pick<TokenFact, "text" | "time"> {
  if (claim === undefined) return { text: missing };
  const time = timeIn(claim);
  return time === undefined
    ? { text: textOf(claim) }
    : { text: `${clock.zoned(time)} · ${formatAgo(time, clock.now)}`, time };
}

function limitFact(limit: unknown): string {
  if (limit === undefined) return "none";
  if (limit === 0) return "0: every connection is refused";
  return typeof limit === "number" ? `fewer than ${formatCount(limit)} connections in the channel` : textOf(limit);
}
