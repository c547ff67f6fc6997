import { shorten } from "@media-ops/commands";
import type { TraceSubject } from "@media-ops/reports";
import type { LogCounts } from "@media-ops/sdk";
import { keep, type Shortcuts, type UsedMessage } from "../features.js";
import { language } from "../language.js";
import { orProblem } from "../problem.js";
import { askTogether } from "../projects/ask-together.js";
import { nothingConnected, nothingIfLacking, openProject, projectOverview } from "../projects/open-project.js";
import { projectLabel, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { MAX_LABEL, mrkdwnSection, plainSection, Refused, row, smallPrint } from "../slack/blocks.js";
import { type Modal, showIn } from "../slack/views.js";
import { showTraceIn, subjectIn, TRACE_HERE, type TraceView, traceButton } from "../trace/trace.js";
import { type FoundSubject, findSubjects, piecesOf, wordsIn } from "./find-subjects.js";

const TITLE = "Look up";

/** The shortcut in the menu of a message. */
export const lookUpShortcuts: Shortcuts = { look_up: lookUp };

/** Shows the trace of what a message names, in a window: only the person sees it, also where the bot is not. */
async function lookUp(request: Request, message?: UsedMessage): Promise<void> {
  const viewId = await request.openWindow(TITLE);
  let only: TraceView | undefined;
  const modal = await orProblem(TITLE, request, async () => {
    const views = await viewsFor(message, request);
    [only] = views.length === 1 ? views : [];
    return views.length === 0 ? nothingModal(request) : choiceModal(views, request);
  });
  await (only ? showTraceIn(viewId, only, request, true) : showIn(request, viewId, modal));
}

/** The traces of what a message names; in each project, if it names none and none is in use. */
async function viewsFor(message: UsedMessage | undefined, request: Request): Promise<TraceView[]> {
  const { connections, here } = await projectOverview(request);
  if (connections.length === 0) throw new Refused(await nothingConnected(request));
  const projects = connections.map(({ projectId }) => projectId);
  const places = here ? [here.projectId] : projects;
  const pieces = message ? piecesOf(message) : [];
  const found = findSubjects(pieces, projects);
  if (found.length === 0) {
    const words = wordsIn(pieces);
    const known = places.slice(0, MOST_PROJECTS).map((place) => knownIn(place, words, request));
    return (await Promise.all(known)).flat();
  }
  return found.flatMap((one) =>
    (one.project === undefined ? places : [one.project]).map((place) => viewOf(one, place)),
  );
}

const viewOf = ({ what, is }: FoundSubject, place: string): TraceView => ({
  command: { name: "trace", what, ...(is && { is }), in: place },
});

const MOST_PROJECTS = 5;
const DAY_MS = 86_400_000;

/** The traces of channels and clients that had events in the last day, and whose names are among the words. */
async function knownIn(place: string, words: string[], request: Request): Promise<TraceView[]> {
  if (words.length === 0) return [];
  const project = await openProject(place, request, () => language.write({ name: "status", in: place }));
  const since = new Date(request.now() - DAY_MS).toISOString();
  const named = { eq: words };
  const asked = askTogether(project, request, (client, options) => {
    const question = { project_id: place, since };
    return Promise.all([
      client.logs.count("events", { ...question, where: { channel: named }, by: ["channel_id"] }, options),
      client.logs.count("events", { ...question, where: { client_id: named }, by: ["client_id"] }, options),
    ]);
  });
  // A service without an event log knows no names.
  const [channels, clients] = (await asked.catch(nothingIfLacking)) ?? [];
  const viewsOf = (counts: LogCounts | undefined, field: "channel_id" | "client_id", is: TraceSubject): TraceView[] =>
    (counts?.groups ?? []).flatMap(({ by: { [field]: what } }) =>
      typeof what === "string" ? viewOf({ what, is }, place) : [],
    );
  return [...viewsOf(channels, "channel_id", "channel"), ...viewsOf(clients, "client_id", "client")];
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
    "No id, no channel and no client was found in this message. This looks for:",
    "• ids, whole or as tables show them, such as `0J9V6TQ2…W1NA`",
    "• channels with their project, such as `lobby@demo`",
    "• names of clients and channels in code spans, and in tables that were shared here",
    "• if there is none of these, names of clients and channels with events in the last day",
    `To look for anything else, type ${typed(prefix, "trace lobby")}.`,
  ];
  return { title: TITLE, blocks: [mrkdwnSection(words.join("\n"))] };
}
