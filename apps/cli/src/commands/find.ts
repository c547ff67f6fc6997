import { matcher, readTimestamp } from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import { isCapped, type LogEntryOf, type LogKind } from "@media-ops/sdk";
import type { Connected } from "../connect.js";
import { type CommandNamed, language } from "../language.js";
import type { Session } from "../session.js";

/** A command that is about the entries of a log. */
type Wanted = CommandNamed<"logs" | "summary">;

export interface Found {
  /** The entries that match, newest first. */
  entries: LogEntryOf<LogKind>[];
  /** How many the service listed. */
  listed: number;
  /** Whether older ones may be missing because the service lists no more at once. */
  mayLackOlder: boolean;
}

/** The entries of a log that match. */
export async function find(wanted: Wanted, { client, project, wait }: Connected, { world }: Session): Promise<Found> {
  const request = { project_id: wanted.in ?? project };
  const listed: LogEntryOf<LogKind>[] = await wait(client.logs.list(wanted.kind, request, { signal: world.signal }));
  const oldest = readTimestamp(listed.at(-1)?.timestamp ?? "") ?? Number.NaN;
  return {
    entries: listed.filter(matcher(wanted)),
    listed: listed.length,
    mayLackOlder: isCapped(listed) && !(wanted.since !== undefined && oldest < wanted.since),
  };
}

/** What was asked for, and how much of it there is: what stands above a table. */
export function headingOf(wanted: Wanted, found: Found, { project }: Connected, { screen }: Session): string {
  const [matching, all] = [formatCount(found.entries.length), formatCount(found.listed)];
  const words = language.describe(wanted, { project, ...screen });
  return `${words}: ${matching === all ? all : `${matching} of ${all}`}`;
}

export const CAP_NOTE = "The service lists the newest 1,000 entries; there may be older ones that match.";
