import { problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import type { Draft } from "../slack/draft.js";
import { smallPrint } from "../slack/sections.js";
import { showIn } from "../slack/show-in.js";

const TITLE = "Media Ops";
const IN_MESSAGES = "The same answer, with buttons for more, is in the *Messages* tab of this app.";

/**
 * Answers a command that was pressed on the app's home, where people look: in a window over it. The answer goes to the
 * Messages tab as well, because its buttons change a message in place, which they could not do with a window.
 */
export async function answerOverHome(request: Request, run: () => Promise<Draft | undefined>): Promise<void> {
  const { answer } = request;
  const viewId = await request.openWindow(TITLE);
  const draft = await run().catch((error: unknown) => problemDraft(error, request));
  if (!draft) return;
  await answer.say(draft);
  // Windows take neither tables nor charts.
  const { blocks } = draft.compact?.() ?? draft;
  const shown = blocks.filter(({ type }) => type !== "actions");
  await showIn(request, viewId, { title: TITLE, blocks: [...shown, smallPrint(IN_MESSAGES)] });
}
