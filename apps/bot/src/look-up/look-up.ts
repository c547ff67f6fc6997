import { shorten } from "@media-ops/commands";
import { keep, type Shortcuts, type UsedMessage } from "../features.js";
import { orProblem } from "../problem.js";
import { nothingConnected, projectOverview } from "../projects/open-project.js";
import { projectLabel, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { MAX_LABEL, mrkdwnSection, plainSection, Refused, row, smallPrint } from "../slack/blocks.js";
import { type Modal, showIn } from "../slack/views.js";
import { traceButton } from "../trace/message.js";
import { subjectIn } from "../trace/open-trace.js";
import type { TraceView } from "../trace/view.js";
import { showTraceIn, TRACE_HERE } from "../trace/window.js";
import { findSubjects } from "./find-subjects.js";
import { piecesOf } from "./read-message.js";

const TITLE = "Look up";

/** The shortcut in the menu of a message. */
export const lookUpShortcuts: Shortcuts = { look_up: lookUp };

/**
 * Shows the trace of what a message names, in a window: only the person sees it, in threads and where the bot is not,
 * too. It opens before anything else, because Slack allows 3 s for that.
 */
async function lookUp(request: Request, message?: UsedMessage): Promise<void> {
  const viewId = await request.openWindow(TITLE);
  let only: TraceView | undefined;
  const modal = await orProblem(TITLE, request, async () => {
    const views = await viewsFor(message, request);
    [only] = views.length === 1 ? views : [];
    return views.length === 0 ? nothingModal(request) : choiceModal(views, request);
  });
  await (only ? showTraceIn(viewId, only, request, { isNew: true }) : showIn(request, viewId, modal));
}

/** The traces of what a message names; in each project, if it names none and none is in use. */
async function viewsFor(message: UsedMessage | undefined, request: Request): Promise<TraceView[]> {
  const { connections, here } = await projectOverview(request);
  if (connections.length === 0) throw new Refused(await nothingConnected(request));
  const projects = connections.map(({ projectId }) => projectId);
  const found = message ? findSubjects(piecesOf(message), projects) : [];
  return found.flatMap(({ what, is, project }) => {
    const places = project === undefined ? (here ? [here.projectId] : projects) : [project];
    return places.map((place): TraceView => ({ command: { name: "trace", what, ...(is && { is }), in: place } }));
  });
}

/** As many as are read at a glance. */
const MOST_BUTTONS = 15;

function choiceModal(views: readonly TraceView[], request: Request): Modal {
  const isOneProject = new Set(views.map(({ command }) => command.in)).size === 1;
  const buttons = views.slice(0, MOST_BUTTONS).map((view, at) => {
    const { command } = view;
    const place = isOneProject || command.in === undefined ? "" : ` in ${projectLabel(command.in)}`;
    return traceButton(`${shorten(subjectIn(command), MAX_LABEL - place.length)}${place}`, `${TRACE_HERE}:${at}`, view);
  });
  return {
    title: TITLE,
    blocks: [
      plainSection("This message names several things. Which one do you mean?"),
      ...row(...buttons),
      ...(views.length > MOST_BUTTONS ? [smallPrint(`Only the first ${MOST_BUTTONS} are listed.`)] : []),
    ],
    keep: keep(request, { isNew: true }),
  };
}

function nothingModal({ prefix }: Request): Modal {
  const words = [
    "No id and no channel was found in this message. This looks for:",
    "• ids, whole or as tables show them, such as `0J9V6TQ2…W1NA`",
    "• channels with their project, such as `lobby@demo`",
    "• names of clients and channels in code spans, and in tables that were shared here",
    `To look for anything else, type ${typed(prefix, "trace lobby")}.`,
  ];
  return { title: TITLE, blocks: [mrkdwnSection(words.join("\n"))] };
}
