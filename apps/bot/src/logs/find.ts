import { cappedNote, foundOf, searchEntries, shorten } from "@media-ops/commands";
import type { Entry, Project } from "../connections/clients.js";
import { type CommandNamed, language, readLength } from "../language.js";
import { openProject } from "../projects/open-project.js";
import type { Request, WorkspaceContext } from "../request.js";
import { type Bookmark, keyAt, newestOf } from "./bookmark.js";

/** A command that reads a log. */
type LogCommand = CommandNamed<"logs" | "summary">;

/** The result of a command that reads a log. */
export interface FoundEntries<Command extends LogCommand = LogCommand> {
  project: Project;
  /** The command with its project, so that running it anywhere has the same meaning. */
  command: Command;
  /** The matching entries, newest first. */
  entries: readonly Entry[];
  /** All entries that the service lists. */
  listed: readonly Entry[];
  /**
   * The command in words and the number of matching entries: "webhook logs of demo, status ≥ 400, last 2 hours: 37 of
   * 1,000".
   */
  heading: string;
  /** The reason why older entries may be missing; undefined if none is missing. */
  note: string | undefined;
  /** The time since which no matching entry is missing. */
  completeSince: number | undefined;
  /** When the log was read, and the time zone for its times. */
  now: number;
  timeZone: string;
}

const MINUTE_MS = 60_000;
const KEPT_DAYS = 30;
const KEPT_MS = KEPT_DAYS * 24 * 60 * MINUTE_MS;
// A heading may have 200 characters; the rest is for the figures.
const MAX_WORDS = 170;
const TOO_OLD = `The service keeps entries for ${KEPT_DAYS} days; older ones are gone.`;

/** Finds the project for a request, and the matching entries. */
export async function find<Command extends LogCommand>(
  command: Command,
  request: Request,
): Promise<FoundEntries<Command>> {
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  return findIn(project, command, request.timeZone, request);
}

/** Finds the matching entries of a project, on behalf of a person or a job. */
async function findIn<Command extends LogCommand>(
  project: Project,
  command: Command,
  timeZone: string,
  context: WorkspaceContext,
): Promise<FoundEntries<Command>> {
  const now = context.now();
  const listed = await context.listings.list(project, command.kind, context);
  const resolved = { ...command, in: project.id };
  const { entries, mayLackOlder, completeSince } = searchEntries(resolved, listed);
  // Some time passes after a person typed `since:30d`.
  const isTooOld = command.since !== undefined && command.since < now - KEPT_MS - MINUTE_MS;
  const tooOld = isTooOld ? TOO_OLD : undefined;
  const note = mayLackOlder ? cappedNote : tooOld;
  const most = (command.name === "logs" ? command.last : undefined) ?? Number.POSITIVE_INFINITY;
  const found = { project, command: resolved, entries, listed, completeSince, now, timeZone };
  return {
    ...found,
    heading: headingOf(found, Math.min(entries.length, most)),
    // A request for the newest 50 that returns 50 misses none.
    note: entries.length < most ? note : undefined,
  };
}

/** The command in words, and how many of the listed entries match. */
export function headingOf(
  found: Pick<FoundEntries, "command" | "listed" | "now" | "timeZone"> & { project: Pick<Project, "id"> },
  count: number,
): string {
  const { project, now, timeZone } = found;
  // The reader sees the format already.
  const { as: _, ...command }: LogCommand & { as?: unknown } = found.command;
  const words = language.describe(command, { project: project.id, now, timeZone });
  const start = shorten(words, MAX_WORDS + 1);
  return `${start}: ${foundOf(count, found.listed.length)}`;
}

/**
 * Makes the result the same for every reader: they may be in other time zones, and Slack converts only the times of
 * entries.
 */
export function forEveryone<Found extends FoundEntries>(found: Found): Found {
  const anywhere = { ...found, timeZone: "UTC" };
  return { ...anywhere, heading: headingOf(anywhere, found.entries.length) };
}

/** The length of a period that is described as "last 2 hours"; undefined if it is described by clock times. */
export function periodOf(
  { kind, since, until }: LogCommand,
  when: { now: number; timeZone: string },
): number | undefined {
  if (since === undefined || until !== undefined) return undefined;
  // A second run must cover the period that the first heading names.
  const words = language.describe({ name: "logs", kind, filters: [], since }, when);
  const [, length] = /, last (.+)$/.exec(words) ?? [];
  return length === undefined ? undefined : readLength(length);
}

/** The entries that a bookmark's command finds now, and the page to show. */
export interface Listing extends FoundEntries<Bookmark["command"]> {
  /** The bookmark with the project, the period and the first entry resolved. */
  readonly bookmark: Bookmark;
}

/** Reads the entries for a bookmark. */
export async function openListing(bookmark: Bookmark, request: Request): Promise<Listing> {
  const { entries: all, ...found } = await find(bookmark.command, request);
  const { command } = found;
  const entries = newestOf(all, command.last, bookmark.first);
  const [newest] = entries;
  const isCounted = command.last !== undefined && newest !== undefined;
  const first = isCounted ? (bookmark.first ?? keyAt(all, 0)) : undefined;
  const periodMs = bookmark.periodMs ?? periodOf(command, found);
  return { ...found, entries, bookmark: { ...bookmark, command, first, periodMs } };
}
