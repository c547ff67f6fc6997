import { shorten } from "@media-ops/commands";
import { escapeMrkdwn, formatTrace, type SlackBlock } from "@media-ops/formatters/slack";
import type { TraceRequest } from "@media-ops/sdk";
import type { Button } from "@slack/types";
import { endTracedButton } from "../acts/disconnect.js";
import { canShare } from "../logs/message.js";
import { projectOverview } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import { backButton, savedButton, TRACE_PAGE } from "../saved-command.js";
import { type Draft, MAX_LABEL, plainSection, row, smallPrint } from "../slack/blocks.js";
import { detailsMenu, furtherMenu } from "./menus.js";
import { type OpenedTrace, openTrace, pinned, subjectIn, traceOptions } from "./open-trace.js";
import { pageIn, savedTrace, type TraceView } from "./view.js";

/** The controls of a trace, by the first part of their action ids; `way-back.ts` has that of its pages. */
export const LOOK_CLOSER = "trace-closer";
export const SHARE = "trace-share";
export const CSV = "trace-csv";

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
export async function traceDraft(
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
