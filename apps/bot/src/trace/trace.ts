import type { Actions } from "../features.js";
import { actionOn, ONCE_MS } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import type { Request } from "../request.js";
import { TRACE_PAGE } from "../saved-command.js";
import { type Draft, plainMessage, row, runButton, smallPrint } from "../slack/blocks.js";
import { uploadTrace } from "./file.js";
import { CSV, drawTrace, LOOK_CLOSER, SHARE, traceButton, traceDraft, traceMessage } from "./message.js";
import { openTrace, pinned } from "./open-trace.js";
import { type TraceView, traceViewIn } from "./view.js";

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
