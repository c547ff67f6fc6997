import { askedOf, type Search, searchOf } from "@media-ops/commands";
import { listingHeading } from "@media-ops/formatters";
import type { ListingFigures, LogService } from "@media-ops/reports";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import type { Connected } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import type { Session } from "./session.js";

/** A command that reads a log. */
type LogCommand = CommandNamed<"logs" | "summary" | "follow">;

/** What a command asks of the service. */
export interface Question extends Search {
  project_id?: string;
}

/** The project, the period and the conditions of a command, as the service takes them. */
export function questionOf(command: LogCommand, { project }: Pick<Connected, "project">): Question {
  const project_id = command.in ?? project;
  return { ...(project_id !== undefined && { project_id }), ...searchOf(command, project_id) };
}

/** The calls of the service, as the formatters make them. */
export function serviceOf({ client, wait }: Connected, { world: { signal } }: Session): LogService {
  return {
    count: (kind, question) => wait(client.logs.count(kind, question, { signal })),
    list: (kind, question) => wait(client.logs.list(kind, question, { signal }).withResponse()),
  };
}

/** The most entries that a command reads. */
export const MOST_READ = 100_000;
const MOST_AT_ONCE = 1000;

type Entry = LogEntryOf<LogKind>;

/** A page of matching entries. */
export interface Part {
  entries: readonly Entry[];
  /** How many match in this page, those that are cut off included. */
  matches: number;
  /** Whether the walk ends here because it has as many entries as it may have. */
  isCut: boolean;
  /** The time back to which the log was searched, if older entries may match. */
  searchedTo: string | undefined;
}

/** Walks the matching entries, newest first, to the last one or to this many. */
export async function* walk(
  command: LogCommand,
  most: number,
  connected: Connected,
  { world: { signal } }: Session,
): AsyncGenerator<Part, void, undefined> {
  const question = { ...questionOf(command, connected), limit: Math.min(most, MOST_AT_ONCE) };
  const pages = connected.client.logs.all(command.kind, question, { signal }).pages();
  let rest = most;
  do {
    const { value: page } = await connected.wait(pages.next());
    if (!page) return;
    const { data, complete, searchedTo, nextCursor } = page;
    const entries = data.slice(0, rest);
    rest -= entries.length;
    const isCut = rest === 0 && (entries.length < data.length || nextCursor !== undefined);
    yield { entries, matches: data.length, isCut, searchedTo: complete ? undefined : searchedTo };
  } while (rest > 0);
}

/** "37 failed webhooks of 1,240,332 in the last 2 hours"; says first if not all was searched, or kept. */
export function headingOf(
  command: CommandNamed<"logs" | "summary">,
  figures: ListingFigures,
  { screen }: Pick<Session, "screen">,
  project?: string,
): string {
  const place = command.in ?? project;
  const phrases = (since: number | undefined) => {
    const given = { ...command, ...(since !== undefined && { since }) };
    const { conditions, period, limit } = language.phrases(given, screen);
    const more = [conditions, command.name === "summary" && limit, place && `project ${place}`];
    return { period, more: more.filter(Boolean).join(", ") };
  };
  return listingHeading({ ...askedOf(command), phrases }, figures, screen);
}
