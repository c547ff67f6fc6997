import type { Action } from "../features.js";
import { showHome } from "../home/home.js";
import { type CommandNamed, language } from "../language.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { row, runButton } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection, wordsOnly } from "../slack/sections.js";
import { mayConnectHere, notAllowed } from "./may-connect.js";
import { findConnection } from "./open-project.js";
import { projectsDraft } from "./projects.js";
import { strong, thisPlace } from "./words.js";

type Use = CommandNamed<"use">;

/** `/media use <project>`: says which project is meant where none is named. */
export async function use(command: Use, request: Request): Promise<Draft> {
  const said = await choose(command, request);
  return {
    blocks: [
      markedSection(`✓ ${said}`),
      ...row(runButton("Status", "status", { id: "status" }), runButton("Projects", "projects", { id: "projects" })),
    ],
    text: said,
  };
}

/** The same by a button; it shows the list, or the app's home, as it is then. */
export const useAction = (where: NonNullable<Use["where"]>): Action => ({
  async run(request, { value }) {
    const said = await choose({ name: "use", project: value, where }, request);
    // Only the home is in no conversation.
    if (request.channelId === undefined) await showHome(request);
    else await request.answer.replace(await projectsDraft(request, said));
  },
});

/**
 * From now on means a project where none is named; gives that in words, in Slack's markup.
 *
 * @throws {Refused} where the person may not, or there is no such project or place.
 */
async function choose(command: Use, request: Request): Promise<string> {
  const { connections, teamId, userId, channelId } = request;
  const again = (project: string): string => language.write({ ...command, project });
  const { projectId } = await findConnection(command.project, request, again);
  if (command.where === "workspace") {
    if (!(await mayConnectHere(request))) throw new Refused(notAllowed(NOT_FOR_ALL, request));
    await connections.setDefault({ teamId, channelId: undefined, projectId, userId });
    return `${strong(projectId)} is used in the whole workspace from now on, except where another one is chosen.`;
  }
  if (channelId === undefined) throw new Refused(wordsOnly(NOWHERE));
  await connections.setDefault({ teamId, channelId, projectId, userId });
  return `${strong(projectId)} is used in ${thisPlace(channelId)} from now on, whoever asks.`;
}

const NOT_FOR_ALL = "You may choose the project of a channel, but not that of the whole workspace.";
const NOWHERE = "There is no conversation here that it could be used in. Type the command in one.";
