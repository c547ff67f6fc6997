import { shorten } from "@media-ops/commands";
import { entryLabel } from "@media-ops/formatters";
import { escapeMrkdwn, formatTrace, type SlackBlock } from "@media-ops/formatters/slack";
import type { TraceLine, TraceRequest } from "@media-ops/reports";
import type { Button, PlainTextOption, StaticSelect } from "@slack/types";
import { endTracedButton } from "../acts/disconnect.js";
import type { Entry } from "../connections/clients.js";
import { type Actions, actionOn, ONCE_MS } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { keyAt, writeBookmark } from "../logs/bookmark.js";
import { canShare, DETAILS } from "../logs/message.js";
import { projectOverview } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import { backButton, OPTION, savedButton, TRACE_PAGE, wayBack } from "../saved-command.js";
import {
  type Draft,
  MAX_LABEL,
  menu,
  optionOf,
  plainMessage,
  plainSection,
  row,
  runButton,
  smallPrint,
} from "../slack/blocks.js";
import { uploadTrace } from "./file.js";
import { type OpenedTrace, openTrace, pinned, subjectIn, traceOptions } from "./open-trace.js";
import {
  pageIn,
  type Subject,
  savedTrace,
  subjectsIn,
  type TraceView,
  traceOf,
  traceViewIn,
  writeTraceView,
} from "./view.js";

/** The controls of a trace, by the first part of their action ids; `saved-command.ts` has that of its pages. */
const LOOK_CLOSER = "trace-closer";
const SHARE = "trace-share";
const CSV = "trace-csv";

/** `/media trace`: all that the logs have about something, or all of it as a file. */
export async function trace({ as, ...command }: CommandNamed<"trace">, request: Request): Promise<Draft> {
  const opened = await openTrace({ command }, request);
  if (opened.trace.lines.length === 0 || as === undefined || as === "timeline") return traceDraft(opened, request);
  const words = await uploadTrace(opened, as, request);
  return plainMessage(words, runButton("Show it here", language.write(opened.view.command)));
}

const withView = actionOn(traceViewIn);

export const traceActions: Actions = {
  [TRACE_PAGE]: withView(async (view, request) => request.answer.replace(await traceMessage(view, request))),
  [LOOK_CLOSER]: withView(async (view, request) => request.answer.say(await traceMessage(view, request))),
  [SHARE]: { ...withView(share), onceForMs: ONCE_MS },
  [CSV]: { ...withView(giveCsv), onceForMs: ONCE_MS },
};

/** Shows a page to everyone in the channel, and confirms it to the person. */
async function share(view: TraceView, request: Request): Promise<void> {
  const opened = await openTrace(view, request);
  const isThere = opened.trace.lines.length > 0;
  if (isThere) {
    const closer = traceButton("Look closer", LOOK_CLOSER, { ...pinned(opened), back: undefined });
    // Readers may be in other time zones, and Slack converts only the times of lines.
    const shared = { ...opened, timeZone: "UTC" };
    await request.answer.share(drawTrace(shared, [smallPrint(`Shared by <@${request.userId}>`), ...row(closer)]));
  }
  const said = isThere ? "Shared with everyone here." : "Not shared: nothing is found any more.";
  await request.answer.replace(await traceDraft(opened, request, { said, isShared: true }));
}

/** Handles the CSV button: sends a file and adds its location to the message. */
async function giveCsv(view: TraceView, request: Request): Promise<void> {
  const opened = await openTrace(view, request);
  const said = opened.trace.lines.length === 0 ? undefined : await uploadTrace(opened, "csv", request);
  await request.answer.replace(await traceDraft(opened, request, { said }));
}

/** A trace, read now. */
export async function traceMessage(view: TraceView, request: Request): Promise<Draft> {
  return traceDraft(await openTrace(view, request), request);
}

/**
 * A trace for one person, with all available actions.
 *
 * @param done.said A sentence that confirms the last action on the trace.
 * @param done.isShared Whether it was just shared, so that the Share button is left out.
 */
async function traceDraft(
  opened: OpenedTrace,
  request: Request,
  { said, isShared = false }: { said?: string | undefined; isShared?: boolean } = {},
): Promise<Draft> {
  const { trace, view, now } = opened;
  const below = said === undefined ? [] : [smallPrint(escapeMrkdwn(said))];
  const newest = { ...view, page: undefined };
  const refresh = traceButton("Refresh", `${TRACE_PAGE}:refresh`, newest);
  const back = backButton(view.back, now);
  if (trace.lines.length === 0) {
    return drawTrace(opened, [...below, ...(await findingBlocks(opened, request, TRACE_PAGE)), ...row(refresh, back)]);
  }
  const isShareable = !isShared && (await canShare(request));
  const leaf = (label: string, id: string, to: TraceRequest | undefined) =>
    to && traceButton(label, `${TRACE_PAGE}:${id}`, { ...view, page: pageIn(to) });
  return drawTrace(opened, [
    ...below,
    ...row(
      leaf("Older", "older", trace.older),
      leaf("Newer", "newer", trace.newer),
      refresh,
      isShareable ? traceButton("Share here", SHARE, pinned(opened)) : undefined,
      traceButton("CSV", CSV, pinned(opened)),
      await endTracedButton(trace, opened.project.id, request),
      back,
    ),
    ...row(detailsMenu(opened), furtherMenu(opened)),
  ]);
}

/** A trace with further blocks below it. */
export function drawTrace(opened: OpenedTrace, below: readonly SlackBlock[]): Draft {
  const { blocks, text } = formatTrace(opened.trace, traceOptions(opened));
  return { blocks: [...blocks, ...below], text };
}

/** A menu of the lines: each leads to its entry's window. */
function detailsMenu({ trace, project, now, timeZone }: OpenedTrace): StaticSelect | undefined {
  const options = trace.lines.map((line): PlainTextOption | undefined => {
    const value = entryValue(line, trace.lines, project.id);
    return value === undefined ? undefined : optionOf(value, entryLabel(line.kind, line.entry, { now, timeZone }));
  });
  return menu("Details of…", DETAILS, options);
}

/** A bookmark of a line's entry in its own log. */
function entryValue({ kind, entry }: TraceLine, lines: readonly TraceLine[], projectId: string): string | undefined {
  // The newest first, as in the log.
  const ofKind = lines.filter((line) => line.kind === kind).reverse();
  const key = keyAt(
    ofKind.map((line): Entry => line.entry),
    ofKind.findIndex((line) => line.entry === entry),
  );
  const command = { name: "logs", kind, filters: [], in: projectId } as const;
  return writeBookmark({ command, spot: { is: "around", key, before: 0, count: 1 } }, OPTION);
}

/** A menu of what the lines name beside what the trace is about: each leads to a trace of its own. */
function furtherMenu(opened: OpenedTrace): StaticSelect | undefined {
  const { trace, project } = opened;
  const back = wayBack(TRACE_PAGE, writeTraceView({ ...pinned(opened), back: undefined }));
  const at = trace.lines[0]?.entry.timestamp;
  // Some entries repeat the id of a connection as that of its client.
  const named = new Map<string, Subject>();
  for (const subject of trace.lines.flatMap(({ entry }) => subjectsIn(entry))) {
    if (subject.what !== trace.id && !named.has(subject.what)) named.set(subject.what, subject);
  }
  const options = [...named.values()].map((subject): PlainTextOption | undefined => {
    const further = traceOf(subject, project.id, at);
    const value = writeTraceView({ ...further, back }, OPTION);
    return value === undefined ? undefined : optionOf(value, shorten(subjectIn(further.command), MAX_LABEL));
  });
  return menu("Trace of…", `${TRACE_PAGE}:further`, options);
}

/** A button with a view; undefined if that is too long. */
export const traceButton = (label: string, action: string, view: TraceView): Button | undefined =>
  savedButton(shorten(label, MAX_LABEL), action, savedTrace(view));

/** As many as the message names. */
const MOST_CANDIDATES = 20;
const MOST_PROJECTS = 3;

/**
 * How to go on if a trace has no lines: a button for each of the several things that a text may name, or, if nothing was
 * found, how to search wider.
 *
 * @param action the action of the buttons.
 */
export async function findingBlocks(opened: OpenedTrace, request: Request, action: string): Promise<SlackBlock[]> {
  const { trace, view, project } = opened;
  const to = (label: string, id: string, command: TraceView["command"]) =>
    traceButton(label, `${action}:${id}`, { command, back: view.back });
  if (trace.candidates.length > 0) {
    const commands = trace.candidates.map(({ subject, id }) => ({ ...view.command, what: id, is: subject }));
    return row(
      ...commands.slice(0, MOST_CANDIDATES).map((command, at) => to(subjectIn(command), `one-${at}`, command)),
    );
  }
  if (trace.lines.length > 0) return [];
  const { is, ...anything } = view.command;
  const { since, until, ...anyTime } = view.command;
  const hasTime = since !== undefined || until !== undefined;
  const { connections } = await projectOverview(request);
  const others = connections.map(({ projectId }) => projectId).filter((id) => id !== project.id);
  const words = [
    "It takes the id of a session, connection, client or bundle, or a channel's name; the first characters of an id are enough.",
    "The logs have the last 30 days.",
    trace.missing.includes("events") ? "Without an event log, a session or connection is logged when it ends." : "",
  ];
  return [
    plainSection(words.filter(Boolean).join(" ")),
    ...row(
      hasTime ? to("Without the time", "any-time", anyTime) : undefined,
      is ? to(`Not only as ${is}`, "anything", anything) : undefined,
      ...others
        .slice(0, MOST_PROJECTS)
        .map((id, at) => to(`In ${projectLabel(id)}`, `project-${at}`, { ...view.command, in: id })),
    ),
  ];
}
