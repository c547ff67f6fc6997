import { matcher, readTimestamp } from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import { isCapped } from "@media-ops/sdk";
import type { Entry, Project } from "../connections/clients.js";
import { type CommandNamed, language, readLength } from "../language.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";

/** A command that is about the entries of a log. */
type Wanted = CommandNamed<"logs" | "summary">;

export interface Found<Command extends Wanted = Wanted> {
  project: Project;
  /** The command with the project that was meant, so that it means the same wherever it is run again. */
  command: Command;
  /** The entries that match, newest first. */
  entries: Entry[];
  /** All that the service lists. */
  listed: readonly Entry[];
  /** What was asked, and how much of it there is: "webhook logs of demo, status ≥ 400, last 2 hours: 37 of 1,000". */
  heading: string;
  /** Why older entries may be missing; undefined where none can be. */
  note: string | undefined;
  /** Since when all entries that match are there. */
  completeSince: number | undefined;
  /** When, and where on earth, it was asked. */
  now: number;
  timeZone: string;
}

const MINUTE_MS = 60_000;
const KEPT_DAYS = 30;
const KEPT_MS = KEPT_DAYS * 24 * 60 * MINUTE_MS;

/** The entries of a log that match. */
export async function find<Command extends Wanted>(command: Command, request: Request): Promise<Found<Command>> {
  const now = request.now();
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const [listed, timeZone] = await Promise.all([
    request.listings.list(project, command.kind, request),
    request.timeZone(),
  ]);
  const resolved = { ...command, in: project.id };
  const entries = listed.filter(matcher(resolved));
  const oldest = readTimestamp(listed.at(-1)?.timestamp ?? "") ?? Number.NaN;
  const mayLackOlder = isCapped(listed) && !(command.since !== undefined && oldest < command.since);
  const note = mayLackOlder ? CAPPED : isOlderThanKept(command.since, now) ? TOO_OLD : undefined;
  const most = mostOf(command);
  return {
    project,
    command: resolved,
    entries,
    listed,
    heading: headingOf({ command: resolved, project, listed, now, timeZone }, Math.min(entries.length, most)),
    // Whoever asks for the newest 50 and gets them lacks none.
    note: entries.length < most ? note : undefined,
    completeSince: mayLackOlder && Number.isFinite(oldest) ? oldest : command.since,
    now,
    timeZone,
  };
}

/** What was asked, when and of what. */
interface Asked extends Pick<Found, "command" | "listed" | "now" | "timeZone"> {
  project: Pick<Project, "id">;
}

/** What was asked, in words, and how many of the entries that the service lists are found by it. */
export function headingOf({ command, project, listed, now, timeZone }: Asked, found: number): string {
  const asked = language.describe(withoutForm(command), { project: project.id, now, timeZone });
  // Of a text without end, the beginning and the figures are read.
  const words = asked.length <= LONGEST ? asked : `${asked.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "")}…`;
  const all = formatCount(listed.length);
  return `${words}: ${found === listed.length ? all : `${formatCount(found)} of ${all}`}`;
}

/** What a heading takes, less the figures. */
const LONGEST = 170;

/** How many entries are asked for at most. */
const mostOf = (command: Wanted): number =>
  (command.name === "logs" ? command.last : undefined) ?? Number.POSITIVE_INFINITY;

/** Whoever sees the entries sees how they are shown. */
function withoutForm(command: Wanted): Wanted {
  if (command.name !== "logs") return command;
  const { as: _, ...asked } = command;
  return asked;
}

const CAPPED = "The service lists the newest 1,000 entries; there may be older ones that match.";
const TOO_OLD = `The service keeps entries for ${KEPT_DAYS} days; older ones are gone.`;

/** Whoever types since:30d asks for no more than is kept, though a moment has gone by since. */
function isOlderThanKept(since: number | undefined, now: number): boolean {
  return since !== undefined && since < now - KEPT_MS - MINUTE_MS;
}

/** The moment at which a listing is told. */
interface When {
  now: number;
  timeZone: string;
}

/** How long a period is that is told as the "last 2 hours"; `undefined` for one that is told by the clock. */
export function periodOf({ kind, since, until }: CommandNamed<"logs" | "summary">, when: When): number | undefined {
  if (since === undefined || until !== undefined) return undefined;
  // Whoever asks once more means what the heading says.
  const words = language.describe({ name: "logs", kind, filters: [], since }, when);
  const [, length] = /, last (.+)$/.exec(words) ?? [];
  return length === undefined ? undefined : readLength(length);
}
