import { answerInWindow } from "../answering.js";
import type { Forms, Shortcuts } from "../features.js";
import { openFilled } from "../problem.js";
import { nothingConnected, projectOverview } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, Refused } from "../slack/blocks.js";
import { waitingModal } from "../slack/views.js";
import { QUERY_FORM, type Query, queryModal, readQuery, TITLE } from "./form.js";

/** Opens the window at once, and fills it when the projects are known. */
const openQuery = (request: Request): Promise<void> =>
  openFilled(TITLE, request, async () => {
    const overview = await projectOverview(request);
    if (overview.connections.length === 0) throw new Refused(await nothingConnected(request));
    return queryModal(overview, request);
  });

/** The shortcut for people who don't type commands. */
export const queryShortcuts: Shortcuts = { query_logs: openQuery };

/** Runs a command and remembers it for the app home. */
type Run = (typed: { text: string; command: Query }, request: Request) => Promise<Draft | undefined>;

export const queryForms = (run: Run): Forms => ({
  [QUERY_FORM]: {
    faults: (sent, now) => readQuery(sent, now).faults,
    meanwhile: waitingModal(TITLE),
    async run(request, sent) {
      const window = { id: sent.viewId, title: TITLE, place: placeText(sent.values.place) };
      await answerInWindow(window, request, async () => {
        const read = readQuery(sent, request.now());
        if (read.faults) throw new Refused(Object.values(read.faults).join(" "));
        return run(read, request);
      });
    },
  },
});

/** Slack shows only the names of channels. */
function placeText(channelId: string | undefined): string {
  if (channelId === undefined) return "in the *Messages* tab of this app";
  const name = channelId.startsWith("C") ? `<#${channelId}>` : "the conversation that you chose";
  return `in ${name}, where only you see it`;
}
