import { cappedNote, foundOf, searchEntries } from "@media-ops/commands";
import type { Entry, Project } from "../connections/clients.js";
import { type CommandNamed, language, readLength } from "../language.js";
import { openProject } from "../projects/open-project.js";
import type { Request, WorkspaceContext } from "../request.js";
import { shorten } from "../slack/blocks.js";

/** A command about the entries of a log. */
type LogCommand = CommandNamed<"logs" | "summary">;

/** What a command finds in a log. */
export interface FoundEntries<Command extends LogCommand = LogCommand> {
  project: Project;
  /** The command with its project, so that it means the same wherever it is run again. */
  command: Command;
  /** The entries that match, newest first. */
  entries: Entry[];
  /** All entries that the service lists. */
  listed: readonly Entry[];
  /** The command in words and how many entries match: "webhook logs of demo, status ≥ 400, last 2 hours: 37 of 1,000". */
  heading: string;
  /** Why older entries may be missing; undefined if none can be. */
  note: string | undefined;
  /** The time since which no matching entry is missing. */
  completeSince: number | undefined;
  /** When the log was read, and in which time zone it is shown. */
  now: number;
  timeZone: string;
}

const MINUTE_MS = 60_000;
const KEPT_DAYS = 30;
const KEPT_MS = KEPT_DAYS * 24 * 60 * MINUTE_MS;
// A heading takes 200 characters; the rest is for the figures.
const MAX_WORDS = 170;
const TOO_OLD = `The service keeps entries for ${KEPT_DAYS} days; older ones are gone.`;

/** Finds the project that a person means, and the entries that match. */
export async function find<Command extends LogCommand>(
  command: Command,
  request: Request,
): Promise<FoundEntries<Command>> {
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  return findIn(project, command, request.timeZone, request);
}

/** Reads a project's log and returns the entries that match. Needs no person. */
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
  // A moment passes after somebody types since:30d.
  const isTooOld = command.since !== undefined && command.since < now - KEPT_MS - MINUTE_MS;
  const note = mayLackOlder ? cappedNote : isTooOld ? TOO_OLD : undefined;
  const most = (command.name === "logs" ? command.last : undefined) ?? Number.POSITIVE_INFINITY;
  return {
    project,
    command: resolved,
    entries,
    listed,
    heading: headingOf({ command: resolved, project, listed, now, timeZone }, Math.min(entries.length, most)),
    // If somebody asks for the newest 50 and gets them, none is missing.
    note: entries.length < most ? note : undefined,
    completeSince,
    now,
    timeZone,
  };
}

interface HeadingOptions extends Pick<FoundEntries, "command" | "listed" | "now" | "timeZone"> {
  project: Pick<Project, "id">;
}

/** The command in words, and how many of the listed entries match. */
export function headingOf({ command, project, listed, now, timeZone }: HeadingOptions, count: number): string {
  const words = language.describe(withoutForm(command), { project: project.id, now, timeZone });
  // No half of a surrogate pair is left at the end.
  const shown = shorten(words, MAX_WORDS + 1).replace(/[\ud800-\udbff]…$/, "…");
  return `${shown}: ${foundOf(count, listed.length)}`;
}

/** The command without how its entries are shown, which the reader sees. */
function withoutForm(command: LogCommand): LogCommand {
  if (command.name !== "logs") return command;
  const { as: _, ...rest } = command;
  return rest;
}

interface When {
  now: number;
  timeZone: string;
}

/** The length of a period that is described as the "last 2 hours"; undefined if it is described by the clock. */
export function periodOf({ kind, since, until }: LogCommand, when: When): number | undefined {
  if (since === undefined || until !== undefined) return undefined;
  // A second run must cover what the heading of the first says.
  const words = language.describe({ name: "logs", kind, filters: [], since }, when);
  const [, length] = /, last (.+)$/.exec(words) ?? [];
  return length === undefined ? undefined : readLength(length);
}
