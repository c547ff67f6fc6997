import { formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import { askTrace, type Trace } from "@media-ops/reports";
import { nameOf } from "../logs/file.js";
import type { Request } from "../request.js";
import { type FileForm, sendFile } from "../slack/send-file.js";
import { type OpenedTrace, requestOf, traceOptions } from "./open-trace.js";

// More lines are no trace that people read.
const MOST_LINES = 10_000;
// The contract's limit.
const MOST_AT_ONCE = 1000;

/** Sends all lines of a trace to the person as a file, and returns a sentence that says where it is and where it ends. */
export async function uploadTrace(opened: OpenedTrace, form: FileForm, request: Request): Promise<string> {
  const { project, now } = opened;
  const { trace, end } = await readLines(opened, request);
  // Excel needs the byte order mark to recognize UTF-8.
  const text = form === "csv" ? csv.formatTrace(trace, { bom: true }) : jsonl.formatTrace(trace);
  return sendFile(
    {
      filename: nameOf("trace", project.id, form, now),
      file: Buffer.from(text),
      amount: `${formatCount(trace.lines.length)} ${trace.lines.length === 1 ? "line" : "lines"}`,
      heading: traceOptions(opened).title ?? "",
      end: end === undefined ? "" : `It is not complete: entries before ${end} are missing.`,
    },
    request,
  );
}

/** All lines of the range, or the newest, and the time before which others are missing; undefined if none are. */
async function readLines(
  { view, project, now }: OpenedTrace,
  request: Request,
): Promise<{ trace: Trace; end: string | undefined }> {
  // People wait longer for all lines than for a page.
  const patient = { ...request, answerBy: Number.POSITIVE_INFINITY };
  const { ask } = await request.clients.of(project.connection, patient);
  const { last } = view.command;
  const most = last ?? MOST_LINES;
  // New lines don't belong to the file.
  let asked = { until: new Date(now).toISOString(), ...requestOf({ ...view, page: undefined }) };
  let lines: Trace["lines"] = [];
  for (;;) {
    const limit = Math.min(MOST_AT_ONCE, most - lines.length);
    const page = await ask((client, options) => askTrace(client, { ...asked, limit }, options));
    lines = [...page.lines, ...lines];
    if (!page.older) return { trace: { ...page, lines }, end: page.complete ? undefined : page.searchedTo };
    if (lines.length >= most) {
      return { trace: { ...page, lines }, end: last === undefined ? lines[0]?.entry.timestamp : undefined };
    }
    asked = { ...asked, ...page.older };
  }
}
