import { searchOf } from "@media-ops/commands";
import { formatTrace, type SlackTraceOptions } from "@media-ops/formatters/slack";
import { askTrace, type Trace, type TraceRequest } from "@media-ops/reports";
import type { Project } from "../connections/clients.js";
import { type CommandNamed, language } from "../language.js";
import { periodOf } from "../logs/find.js";
import { askTogether } from "../projects/ask-together.js";
import { openProject } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import { Refused } from "../slack/blocks.js";
import { pageIn, type TraceView } from "./view.js";

/** A trace as it was read for a view. */
export interface OpenedTrace {
  project: Project;
  trace: Trace;
  /** The view with its project, and the whole id of what it is about. */
  view: TraceView;
  /** Which lines these are, if they are not those that were asked for. */
  note?: string | undefined;
  /** When the trace was read, and the time zone for its times. */
  now: number;
  timeZone: string;
}

/** The most lines of a message: they fit into one, unless their names are unusually long. */
const LINES = 50;
// If fewer fit, those are read again; of a page of the oldest, they may be others, of which still fewer fit.
const TRIES = 3;

/** Reads the page of a view: as many lines as a message can show. */
export async function openTrace(view: TraceView, request: Request): Promise<OpenedTrace> {
  const { command } = view;
  if (!/[^….\s]/.test(command.what)) throw new Refused(`trace takes an id or a channel, not "${command.what}".`);
  const { timeZone } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const now = request.now();
  const opened = await readPage({ ...view, command: { ...command, in: project.id } }, project, request);
  const periodMs = view.periodMs ?? periodOf(command, { now, timeZone });
  return { ...opened, view: { ...opened.view, periodMs }, project, now, timeZone };
}

type Page = Pick<OpenedTrace, "trace" | "view" | "note">;

/** Reads a page; if it has no lines any more, those at that end of the trace. */
async function readPage(view: TraceView, project: Project, request: Request): Promise<Page> {
  const page = await readFitting(view, project, request);
  if (!view.page || page.trace.lines.length > 0) return page;
  const isOldest = view.page.order === "newest";
  const end = { ...view, page: isOldest ? ({ order: "oldest" } as const) : undefined };
  const note = isOldest ? "No lines are older; these are the oldest." : "No lines are newer; these are the newest.";
  return { ...(await readFitting(end, project, request)), note };
}

/** Reads a page again if not all of its lines fit into a message, so that the next page begins where it ends. */
async function readFitting(view: TraceView, project: Project, request: Request): Promise<Page> {
  const { now, timeZone } = request;
  let limit = Math.min(view.command.last ?? LINES, LINES);
  for (let tries = 1; ; tries++) {
    const trace = await askTogether(project, request, (client, options) =>
      askTrace(client, { ...requestOf(view), limit }, options),
    );
    const { shown } = formatTrace(trace, { now: now(), timeZone });
    if (shown >= trace.lines.length || tries === TRIES) return { trace, view: resolved(view, trace) };
    limit = shown;
  }
}

/** A page names the whole range, so that the command's own no longer counts. */
export function requestOf({ command, page }: TraceView): TraceRequest {
  const { what, is, in: project_id, since, until } = command;
  return { project_id, what, as: is, ...(page ?? searchOf({ kind: "events", filters: [], since, until })) };
}

/** The view of the same lines at any later time: new ones don't displace them. */
export function pinned({ view, trace, now }: Pick<OpenedTrace, "view" | "trace" | "now">): TraceView {
  if (view.page) return view;
  const { since, until } = pageIn(requestOf(view));
  // The media server's clock may be ahead.
  const newest = Math.max(now, Date.parse(trace.lines.at(-1)?.entry.timestamp ?? "") + 1 || now);
  return { ...view, page: { since, until: until ?? new Date(newest).toISOString() } };
}

/** The view of what was found, so that it need not be found out again. */
function resolved(view: TraceView, { subject, id }: Trace): TraceView {
  return subject === undefined ? view : { ...view, command: { ...view.command, what: id, is: subject } };
}

/** The title, the range in words and the note of a trace, in a time zone. */
export function traceOptions({ view, trace, project, note, now, timeZone }: OpenedTrace): SlackTraceOptions {
  const { command, page } = view;
  const { is, what } = command;
  const { period } = language.phrases(command, { now, timeZone });
  const until = page ? Date.parse(page.until ?? "") : command.until;
  const subject =
    trace.subject === undefined ? `of ${is === undefined ? "" : `${is} `}${what}` : `of ${subjectIn(command)}`;
  return {
    now,
    timeZone,
    title: `Trace ${subject}, project ${projectLabel(project.id)}`,
    // Of other pages, the times of their lines say more.
    ...(!page && period !== "" && { when: period }),
    ...(Number.isFinite(until) && { until }),
    ...(note !== undefined && { note }),
  };
}

/** "connection 0J9V6TQ2M4EXK7C3R8ZB5HW1NA", "channel lobby" */
export function subjectIn({ what, is, in: project = "" }: CommandNamed<"trace">): string {
  const name = is === "channel" && what.endsWith(`@${project}`) ? what.slice(0, -project.length - 1) : what;
  return is === undefined ? name : `${is} ${name}`;
}
