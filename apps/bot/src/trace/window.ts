import { type Actions, type Forms, keep } from "../features.js";
import { fillWindow } from "../problem.js";
import type { Request } from "../request.js";
import { KEPT, type Modal, showIn, waitingModal } from "../slack/views.js";
import { type OpenedTrace, openTrace } from "./open-trace.js";
import { drawTrace, findingBlocks, traceMessage } from "./trace.js";
import { type TraceView, traceViewIn, writeTraceView } from "./view.js";

/** The action of a button in a window that shows a trace there. */
export const TRACE_HERE = "trace-here";
/** The window of a trace, which its submit button shows as a message. */
const TRACE_WINDOW = "trace-window";

const TITLE = "Trace";

/** Where a window's trace goes as a message. */
interface Destination {
  /** Whether it is a new message, instead of the one that the window was opened from. */
  readonly isNew: boolean;
}

/** Shows a trace in an open window. */
export async function showTraceIn(viewId: string, view: TraceView, request: Request, to: Destination): Promise<void> {
  await showIn(request, viewId, waitingModal(TITLE));
  await fillWindow(viewId, TITLE, request, async () => traceModal(await openTrace(view, request), request, to));
}

async function traceModal(opened: OpenedTrace, request: Request, { isNew }: Destination): Promise<Modal> {
  const { blocks } = drawTrace(opened, await findingBlocks(opened, request, TRACE_HERE));
  const kept = keep(request, { trace: writeTraceView(opened.view), isNew });
  if (kept.length > KEPT) return { title: TITLE, blocks, keep: keep(request, { isNew }) };
  return { title: TITLE, blocks, callbackId: TRACE_WINDOW, submit: "Show as a message", keep: kept };
}

export const traceWindowActions: Actions = {
  [TRACE_HERE]: {
    async run(request, { value, view: window }) {
      const view = traceViewIn(value, request);
      if (window) await showTraceIn(window.id, view, request, { isNew: window.kept.isNew === true });
      else await request.answer.say(await traceMessage(view, request));
    },
  },
};

export const traceWindowForms: Forms = {
  [TRACE_WINDOW]: {
    async run(request, { kept: { trace, isNew } }) {
      const draft = await traceMessage(traceViewIn(typeof trace === "string" ? trace : "", request), request);
      await (isNew === true ? request.answer.say(draft) : request.answer.replace(draft));
    },
  },
};
