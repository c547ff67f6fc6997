import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { Connection } from "../connections/connections.js";
import { language } from "../language.js";
import type { ProjectOverview } from "../projects/open-project.js";
import { useEverywhere } from "../projects/projects.js";
import { hostOf, placeText, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { mrkdwnSection, row, runButton, slackDate, smallPrint } from "../slack/blocks.js";
import type { Health } from "./health.js";

// Each is asked for its health when the app home is opened.
const MOST_SHOWN = 10;

/** What is known of the projects' health: that of each by its name, and when it was asked for. */
export interface Healths {
  readonly of: ReadonlyMap<string, Health>;
  readonly at: number;
}

/** The projects that the app home shows: the default one, then the others by name. */
export function shownProjects({ connections, here }: ProjectOverview): readonly Connection[] {
  const others = connections.filter(({ projectId }) => projectId !== here?.projectId);
  return [...(here ? [here] : []), ...others].slice(0, MOST_SHOWN);
}

/**
 * The projects with their health, and what can be asked of each.
 *
 * @param healths Undefined while the services are being asked.
 */
export function projectRows(
  overview: ProjectOverview,
  { healths, mayConnect }: { healths: Healths | undefined; mayConnect: boolean },
  request: Request,
): SlackBlock[] {
  const shown = shownProjects(overview);
  const notes = [...notesOn(overview, shown.length, request), ...(healths ? [lookedText(healths)] : [])];
  return [
    ...shown.flatMap((connection, at) => {
      const isHere = connection.projectId === overview.here?.projectId;
      return [
        mrkdwnSection(projectText(connection, isHere, healths?.of.get(connection.projectId))),
        ...row(...buttonsOf(connection, at), choiceOf(connection, at, overview, mayConnect)),
      ];
    }),
    ...(notes.length > 0 ? [smallPrint(notes.join(" "))] : []),
  ];
}

function projectText(connection: Connection, isHere: boolean, health: Health | undefined): string {
  const name = `${isHere ? "★ " : ""}${strong(connection.projectId)} · ${escapeMrkdwn(hostOf(connection))}`;
  return health ? `${health.mark} ${name}\n${health.words}` : `${name}\nchecking…`;
}

function buttonsOf({ projectId }: Connection, at: number) {
  return (["status", "why", "live"] as const).map((name) =>
    runButton(LABELS[name], language.write({ name, in: projectId }), { id: `${name}-${at}` }),
  );
}

const LABELS = { status: "Status", why: "Why", live: "Live" } as const;

function choiceOf(
  { projectId }: Connection,
  at: number,
  { connections, defaults }: ProjectOverview,
  mayConnect: boolean,
) {
  const isOffered = mayConnect && connections.length > 1 && defaults.workspace !== projectId;
  return isOffered ? useEverywhere(projectId, at) : undefined;
}

function notesOn({ connections, here }: ProjectOverview, shown: number, { channelId, prefix }: Request): string[] {
  if (connections.length < 2) return [];
  const more = connections.length - shown;
  return [
    ...(more > 0 ? [`${more} more are not shown; ${typed(prefix, "status in:<project>")} shows how each is.`] : []),
    here ? `★ is used ${placeText(channelId)}.` : `None is the default; ${typed(prefix, "use <project>")} sets one.`,
  ];
}

const lookedText = ({ at }: Healths): string => `Looked at ${slackDate(at)}. Opening this tab looks again.`;
