import { answerInWindow } from "../answering.js";
import type { Form, Forms, SentForm, Shortcuts } from "../features.js";
import { rememberQuestion } from "../home/remember.js";
import { logs } from "../logs/logs.js";
import { orProblem } from "../problem.js";
import { nothingConnected, projectOverview } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, Refused } from "../slack/blocks.js";
import { showIn, waitingModal } from "../slack/views.js";
import { summary } from "../summary/summary.js";
import { why } from "../why/why.js";
import { QUERY_FORM, queryModal, readQuery, TITLE } from "./form.js";

/** The shortcut for people who don't type commands. */
export const queryShortcuts: Shortcuts = { query_logs: openQuery };

/** Opens the window at once, and fills it when the projects are known. */
async function openQuery(request: Request): Promise<void> {
  const viewId = await request.openWindow(TITLE);
  const modal = await orProblem(TITLE, request, async () => {
    const overview = await projectOverview(request);
    if (overview.connections.length === 0) throw new Refused(await nothingConnected(request));
    return queryModal(overview, request);
  });
  await showIn(request, viewId, modal);
}

const query: Form = {
  faults: (sent, now) => readQuery(sent, now).faults,
  meanwhile: waitingModal(TITLE),
  async run(request, sent) {
    const window = { id: sent.viewId, title: TITLE, place: placeText(sent.values.place) };
    await answerInWindow(window, request, () => answerTo(sent, request));
  },
};

export const queryForms: Forms = { [QUERY_FORM]: query };

/** Slack shows only the names of channels. */
function placeText(channelId: string | undefined): string {
  if (channelId === undefined) return "in the *Messages* tab of this app";
  const name = channelId.startsWith("C") ? `<#${channelId}>` : "the conversation that you chose";
  return `in ${name}, where only you see it`;
}

async function answerTo(sent: SentForm, request: Request): Promise<Draft | undefined> {
  const read = readQuery(sent, request.now());
  if (read.faults) throw new Refused(Object.values(read.faults).join(" "));
  const { command, text } = read;
  rememberQuestion(text, command, request);
  switch (command.name) {
    case "logs":
      return logs(command, request);
    case "summary":
      return summary(command, request);
    case "why":
      return why(command, request);
  }
}
