import * as z from "zod";
import type { SentForm } from "../features.js";
import { formatLength } from "../language.js";
import type { Allowed } from "../policy/decide.js";
import { roles } from "../policy/policy.js";
import { channelFault, type DesiredToken } from "./desired-token.js";
import { fields, MOST_CONNECTIONS } from "./modal.js";

const MINUTE_MS = 60_000;
/** A window keeps at most 3000 characters, including where it was opened from. */
const MOST_KEPT = 2000;

const kept = z.object({
  allowed: z.record(z.string(), z.partialRecord(z.enum(roles), z.number())).catch({}),
  maxAheadMs: z.number().catch(Number.POSITIVE_INFINITY),
  id: z.string().optional().catch(undefined),
  askedLimit: z.number().optional().catch(undefined),
});

/** What the window keeps, to check what was sent without waiting for anything. */
export interface TokenKept {
  allowed: Readonly<Record<string, Allowed>>;
  maxAheadMs: number;
  /** The token's own id, if one was asked for. */
  id?: string | undefined;
  /** The limit of connections that was asked for before, which must not go unnoticed. */
  askedLimit?: number | undefined;
}

/** As much of it as fits; what does not is found out later, when the token is made. */
export function keepable({ allowed, ...rest }: TokenKept): Readonly<Record<string, unknown>> {
  return JSON.stringify(allowed).length <= MOST_KEPT ? { allowed, ...rest } : rest;
}

/** The problems of a window that was sent, by field; undefined if there are none. */
export function tokenFaults(
  { values, kept: window }: SentForm,
  now: number,
): Readonly<Record<string, string>> | undefined {
  const { allowed, maxAheadMs, askedLimit } = kept.parse(window);
  const project = projectIn(values, allowed);
  const { role, channel, lifetime, limit, start } = values;
  const isEvery = values[fields.every] !== undefined;
  const isUnlimited = values[fields.unlimited] !== undefined;
  const forRole = project === undefined ? undefined : allowed[project];
  const mostMs = roles.flatMap((known) => (known === role ? [forRole?.[known]] : []))[0];
  const faults = {
    [fields.channel]:
      emptyFault(channel, isEvery, EMPTY_CHANNEL) ??
      (channel === undefined || project === undefined ? undefined : channelFault(channel, project)),
    [fields.role]:
      forRole && mostMs === undefined
        ? `You may not make tokens with this role for the project ${project}.`
        : undefined,
    [fields.lifetime]:
      mostMs !== undefined && Number(lifetime) > mostMs
        ? `With this role, at most ${formatLength(mostMs)}.`
        : undefined,
    [fields.limit]:
      (askedLimit === undefined ? undefined : emptyFault(limit, isUnlimited, emptyLimit(askedLimit))) ??
      (limit === undefined ? undefined : limitFault(limit)),
    [fields.start]: start === undefined ? undefined : startFault(Number(start) * 1000, { now, maxAheadMs }),
  };
  const found = Object.entries(faults).filter((fault): fault is [string, string] => fault[1] !== undefined);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The token that a sent window describes. */
export function desiredIn({ values, kept: window }: SentForm): DesiredToken {
  const { channel, lifetime, limit, start, reason } = values;
  const { allowed, id } = kept.parse(window);
  const project = projectIn(values, allowed);
  const role = roles.find((known) => known === values.role);
  return {
    command: {
      name: "token",
      ...(channel !== undefined && { channel }),
      ...(role !== undefined && { role }),
      ...(lifetime !== undefined && { forMs: Number(lifetime) }),
      ...(limit !== undefined && { max: Number(limit) }),
      ...(start !== undefined && { starting: Number(start) * 1000 }),
      ...(id !== undefined && { id }),
      ...(project !== undefined && { in: project }),
    },
    reason,
  };
}

/** The project that was chosen, or the only one. */
function projectIn(values: SentForm["values"], allowed: TokenKept["allowed"]): string | undefined {
  const projects = Object.keys(allowed);
  return values.project ?? (projects.length === 1 ? projects[0] : undefined);
}

/** An empty field allows more than any entry would: it must be meant. */
function emptyFault(entry: string | undefined, isTicked: boolean, question: string): string | undefined {
  if (entry === undefined) return isTicked ? undefined : question;
  return isTicked ? BOTH : undefined;
}

const EMPTY_CHANNEL = "Name a channel, such as lobby, or tick the box below for every channel.";
const emptyLimit = (asked: number): string =>
  `You asked for a limit of ${asked}. Enter a number, or tick the box below for no limit.`;
const BOTH = "Fill this in or tick the box below, not both.";

const limitFault = (limit: string): string | undefined =>
  /^\d{1,4}$/.test(limit) && Number(limit) <= MOST_CONNECTIONS
    ? undefined
    : `Enter a whole number from 0 to ${MOST_CONNECTIONS}.`;

function startFault(start: number, { now, maxAheadMs }: { now: number; maxAheadMs: number }): string | undefined {
  // The clock in the window has no seconds: what is chosen as now has begun.
  if (start <= now - MINUTE_MS) return "This time has passed. Leave it empty to start now.";
  return start - now > maxAheadMs ? `At most ${formatLength(maxAheadMs)} ahead.` : undefined;
}
