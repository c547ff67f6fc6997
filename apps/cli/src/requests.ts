import { MOST_LISTED, type OperationOptions, type RequestResult } from "@media-ops/commands";
import type { Connected } from "./connect.js";
import { CliError } from "./errors.js";
import { requesterOf, type Session } from "./session.js";

/** What the terminal knows besides the words of a command. */
export function knownTo({ project }: Pick<Connected, "project">, { world }: Session): OperationOptions {
  return { project, me: requesterOf(world) };
}

/**
 * The request of a command.
 *
 * @throws {CliError} if something is missing for it.
 */
export function requestIn<T>(result: RequestResult<T>): T {
  if (result.ok) return result.request;
  if (result.missing === "project") throw unknownProject(result.channel);
  const example = `by:slack:<workspace>/${result.user}`;
  throw new CliError(`A mention names a person in Slack only. Here, write ${example}, as lists show it.`, 2);
}

/** What a list says below its rows if the service has more than the command wants. */
export function moreIn(
  { next_cursor }: { readonly next_cursor?: string },
  last: number | undefined,
): { hasMore: boolean; note?: string } {
  const canHaveMore = next_cursor !== undefined && last !== MOST_LISTED;
  return {
    hasMore: next_cursor !== undefined,
    ...(canHaveMore && { note: `To list the newest 1,000, add last:${MOST_LISTED}.` }),
  };
}

/** The error for a channel without its project. */
export function unknownProject(channel: string): CliError {
  const whole = `${channel}@<project>`;
  return new CliError(`The channel's project is unknown. Write ${whole}, add in:<project>, or log in with it.`, 2);
}
