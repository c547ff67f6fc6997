import { EVERY_CHANNEL } from "@media-ops/commands";
import { splitChannelId } from "@media-ops/tokens";
import * as z from "zod";
import { type Faults, jsonIn, onlyFaults, type SentForm } from "../features.js";
import { type CommandNamed, formatLength, language } from "../language.js";
import { roles } from "../policy/policy.js";

/** The longest reason for a token: enough for a sentence or two. */
export const LONGEST_REASON = 300;
/** The largest connection limit that the window accepts. */
export const MOST_CONNECTIONS = 5000;
const MINUTE_MS = 60_000;
/** A window keeps at most 3000 characters, including where it was opened from. */
const MOST_KEPT = 2000;

const kept = z.object({
  allowed: z.record(z.string(), z.partialRecord(z.enum(roles), z.number())).catch({}),
  maxAheadMs: z.number().catch(Number.POSITIVE_INFINITY),
  /** The token's own id, if the request had one. */
  id: z.string().optional().catch(undefined),
  /** The connection limit that was requested before; clearing it must be deliberate. */
  askedLimit: z.number().optional().catch(undefined),
});

/** The data that the window keeps, so that it can be checked without waiting. */
type TokenKept = z.infer<typeof kept>;

/** Drops the permissions if they are too long; they are then checked when the token is created. */
export function keepable({ allowed, ...rest }: TokenKept): Readonly<Record<string, unknown>> {
  return JSON.stringify(allowed).length <= MOST_KEPT ? { allowed, ...rest } : rest;
}

/** The faults of a submitted window, by field; undefined if there are none. */
export function tokenFaults({ values, kept: window }: SentForm, now: number): Faults | undefined {
  const { allowed, maxAheadMs, askedLimit } = kept.parse(window);
  const project = projectIn(values, allowed);
  const { role, channel, lifetime, limit, start } = values;
  const isEvery = values.every !== undefined;
  const isUnlimited = values.unlimited !== undefined;
  const forRole = project === undefined ? undefined : allowed[project];
  const mostMs = roles.flatMap((known) => (known === role ? [forRole?.[known]] : []))[0];
  return onlyFaults({
    channel:
      emptyFault(channel, isEvery, EMPTY_CHANNEL) ??
      (channel === undefined || project === undefined ? undefined : channelFault(channel, project)),
    role:
      forRole && mostMs === undefined
        ? `You may not make tokens with this role for the project ${project}.`
        : undefined,
    lifetime:
      mostMs !== undefined && Number(lifetime) > mostMs
        ? `With this role, at most ${formatLength(mostMs)}.`
        : undefined,
    limit:
      (askedLimit === undefined ? undefined : emptyFault(limit, isUnlimited, emptyLimit(askedLimit))) ??
      (limit === undefined ? undefined : limitFault(limit)),
    start: start === undefined ? undefined : startFault(Number(start) * 1000, { now, maxAheadMs }),
  });
}

/** The token that a submitted window describes. */
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

/** The chosen project, or the only one. */
function projectIn(values: SentForm["values"], allowed: TokenKept["allowed"]): string | undefined {
  const projects = Object.keys(allowed);
  return values.project ?? (projects.length === 1 ? projects[0] : undefined);
}

/** An empty field allows more than any entry, so the person must confirm it. */
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
  // The window's clock has no seconds, so the current minute counts as now.
  if (start <= now - MINUTE_MS) return "This time has passed. Leave it empty to start now.";
  return start - now > maxAheadMs ? `At most ${formatLength(maxAheadMs)} ahead.` : undefined;
}

/** A token that a person requests, by a command or a window. */
export interface DesiredToken {
  readonly command: CommandNamed<"token">;
  /** The reason, in the person's own words. */
  readonly reason?: string | undefined;
}

const written = z.tuple([z.string(), z.string().nullable()]);

/** Serializes it as the value of a button. */
export function writeDesired({ command, reason }: DesiredToken): string {
  return JSON.stringify([language.write(command), reason ?? null]);
}

/** Parses the output of {@link writeDesired}; undefined if another version of the bot wrote it. */
export function readDesired(text: string, now: number): DesiredToken | undefined {
  const { data } = written.safeParse(jsonIn(text));
  const read = data && language.parse(data[0], { now });
  if (!data || !read?.ok || read.command.name !== "token") return undefined;
  const { channel, ...rest } = read.command;
  // The language writes "every channel" as a channel's name, which a window must not show.
  const command = channel === undefined || channel === EVERY_CHANNEL ? rest : { ...rest, channel };
  return { command, reason: data[1] ?? undefined };
}

/** Why a channel can't belong to a project, with or without the project in its name; undefined if it can. */
export function channelFault(channel: string, project: string): string | undefined {
  const id = splitChannelId(channel.includes("@") ? channel : `${channel}@${project}`);
  if (!id) return "Enter the channel's name, such as lobby. With its project it has at most 255 bytes.";
  if (id.projectId === project) return undefined;
  return `This channel belongs to the project ${id.projectId}, and the token is for ${project}. If that is part of its name, add @${project}.`;
}
