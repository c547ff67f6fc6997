import { orderOf, type Search, searchOf } from "@media-ops/commands";
import { foundHeading, ifCounted, keptOf, type LogService } from "@media-ops/formatters";
import type { LogCount, LogEntryOf, LogKind } from "@media-ops/sdk";
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

/** What a listing found. */
export interface Figures {
  found: number;
  /** All entries of the period, if they are known. */
  of?: number | undefined;
  /** How many of them are listed, if they are sorted. */
  top?: number | undefined;
  /** The time back to which the log was searched, if not all of it was. */
  searchedTo?: string | undefined;
  /** Whether there may be more. @default if not all was searched */
  isAtLeast?: boolean | undefined;
}

/** Counts the entries that match, and all of the period; undefined if the service cannot count. */
export async function countFound(
  kind: LogKind,
  { where, ...period }: Question,
  service: LogService,
): Promise<Figures | undefined> {
  const [found, of] = await Promise.all([
    ifCounted(() => service.count(kind, { ...period, ...(where && { where }) })),
    where && countAll(kind, period, service),
  ]);
  return found && { found: found.total.entries, of: of?.entries, searchedTo: found.complete ? undefined : found.since };
}

/** Counts all entries of a period; undefined if the service cannot count them all. */
export async function countAll(
  kind: LogKind,
  { where, ...period }: Question,
  service: LogService,
): Promise<LogCount | undefined> {
  const all = await ifCounted(() => service.count(kind, period));
  return all?.complete ? all.total : undefined;
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
  figures: Figures,
  { screen }: Pick<Session, "screen">,
  project?: string,
): string {
  const { found, of, top, searchedTo, isAtLeast = searchedTo !== undefined } = figures;
  const { kind, filters, until = screen.now } = command;
  const { since, gone } = keptOf(command, screen.now);
  const { conditions, period, limit } = language.phrases({ ...command, ...(gone === "part" && { since }) }, screen);
  const outcome = filters.find(({ test }) => test.is === "failed");
  const sort = command.name === "logs" ? command.sort : undefined;
  const place = command.in ?? project;
  const from = searchedTo === undefined ? undefined : Math.min(Date.parse(searchedTo), until);
  return foundHeading(
    kind,
    {
      found,
      of,
      sorted: sort && top !== undefined ? { top, order: orderOf(kind, sort).words } : undefined,
      isAtLeast,
      only: outcome && (outcome.negated ? "ok" : "failed"),
      when: period,
      more: [conditions, command.name === "summary" && limit, place && `project ${place}`].filter(Boolean).join(", "),
      searched: from === undefined ? undefined : { from, to: until },
      // A summary says so itself.
      gone: command.name === "logs" ? gone : undefined,
    },
    screen,
  );
}
