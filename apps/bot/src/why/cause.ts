import type { Filter } from "@media-ops/commands";
import { formatCount, reasonWords } from "@media-ops/formatters";
import type { Why, WhyCause } from "@media-ops/reports";
import type { CommandNamed } from "../language.js";
import type { TraceView } from "../trace/view.js";

/** The filters' names of the fields in a cause's condition. */
const fieldNames = new Map([
  ["type", "type"],
  ["outcome", "outcome"],
  ["reason", "reason"],
  ["media_reason", "media-reason"],
  ["channel", "channel"],
  ["channel_id", "channel"],
]);

/** The command that lists a cause's events in the period; undefined if its condition can't be typed. */
export function linesOf(
  { where }: Pick<WhyCause, "where">,
  { since, until }: Pick<Why, "since" | "until">,
  project: string,
): CommandNamed<"logs"> | undefined {
  const filters = Object.entries(where).map(([field, test]) => filterOf(fieldNames.get(field), test));
  const typed = filters.filter((filter) => filter !== undefined);
  if (typed.length < filters.length) return undefined;
  const period = { since: Date.parse(since), until: Date.parse(until) };
  return { name: "logs", kind: "events", filters: typed, ...period, in: project };
}

function filterOf(field: string | undefined, test: unknown): Filter | undefined {
  if (field === undefined || typeof test !== "object" || test === null) return undefined;
  const like = (negated: boolean, ...pattern: string[]): Filter => ({
    field,
    negated,
    test: { is: "like", any: [pattern] },
  });
  if ("eq" in test && typeof test.eq === "string") return like(false, test.eq);
  if ("starts_with" in test && typeof test.starts_with === "string") return like(false, test.starts_with, "");
  const isAbsent = "not" in test && JSON.stringify(test.not) === '{"like":"*"}';
  return isAbsent ? like(true, "", "") : undefined;
}

/** "ICE timeout (45)" */
export const causeLabel = ({ reason, mediaReason, count }: WhyCause): string =>
  `${reasonWords(reason, { mediaReason })} (${formatCount(count)})`;

/** One of those that a cause concerns is worth a look if it has so much of it. */
const MUCH = 0.5;

/** The trace of the client or channel that a cause mostly concerns, in the period; undefined if it concerns none mostly. */
export function worstOf(
  { count, clients: [client], channels: [channel] }: WhyCause,
  { since, until }: Pick<Why, "since" | "until">,
  project: string,
): TraceView | undefined {
  const [worst] = [
    client && { is: "client" as const, what: client.name, count: client.count },
    channel && { is: "channel" as const, what: channel.name, count: channel.count },
  ].filter((one) => one !== undefined && one.count >= count * MUCH);
  if (!worst) return undefined;
  const { is, what } = worst;
  const period = { since: Date.parse(since), until: Date.parse(until) };
  return { command: { name: "trace", what, is, ...period, in: project } };
}
