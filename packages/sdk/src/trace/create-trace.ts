import type { MediaClient } from "../client.js";
import { createReader } from "../log-reader.js";
import { type CallOptions, check, checkCount } from "../options.js";
import { rangeOf, toWire } from "../search.js";
import { gather } from "./lines.js";
import { type PagePart, pageOf } from "./page.js";
import { sourcesOf } from "./sources.js";
import { identify, isShortened, traceSubjects } from "./subject.js";
import type { Trace, TraceCandidate, TraceRequest } from "./trace.js";

const DEFAULT_LIMIT = 200;

/**
 * Merges all that the logs have about a connection, a session, a client, a bundle or a channel, oldest first.
 *
 * @example const { lines } = await trace(client, { what: "stage-camera-2", since: "2026-04-01T09:00:00Z" });
 */
export async function trace(
  client: Pick<MediaClient, "logs">,
  request: TraceRequest,
  options: CallOptions = {},
): Promise<Trace> {
  const range = rangeOf(request);
  const { project_id, what, as, limit = DEFAULT_LIMIT, order = "newest", skip = 0 } = request;
  check(typeof what === "string" && /[^….]/.test(what), `what must be an id or a channel, not "${what}".`);
  const subjects = as === undefined ? traceSubjects : traceSubjects.filter((subject) => subject === as);
  check(subjects.length > 0, `as must be one of ${traceSubjects.join(", ")}, not "${as}".`);
  checkCount("skip", skip);
  const reader = createReader(client.logs, project_id, options);
  const nothing = { id: what, subject: undefined, lines: [], candidates: [], older: undefined, newer: undefined };

  let named: Pick<TraceCandidate, "subject" | "id"> | undefined = as && { subject: as, id: what };
  if (!named || isShortened(what)) {
    const { candidates, searchedTo } = await identify(reader, what, subjects, range);
    [named] = candidates;
    if (!named || candidates.length > 1) {
      return { ...nothing, candidates, complete: !searchedTo, searchedTo, missing: [...reader.missing] };
    }
  }

  const { subject, id } = named;
  const wanted = { ...range, order, count: skip + limit + 1 };
  const { lines, floor } = await gather(reader, await sourcesOf(reader, subject, id, wanted), wanted);
  const page = pageOf(lines, { ...range, order, limit, skip });
  const next = (part: PagePart | undefined): TraceRequest | undefined =>
    part && { project_id, what: id, as: subject, limit, ...part, ...toWire(part) };
  return {
    ...nothing,
    subject,
    id,
    lines: page.lines.map(({ at, ...line }) => line),
    complete: !floor,
    searchedTo: floor ? `${floor}Z` : undefined,
    missing: [...reader.missing],
    older: next(page.older),
    newer: next(page.newer),
  };
}
