import { audited, recordRefusal } from "../audit/audited.js";
import { type ActCommand, language } from "../language.js";
import { type Member, mayAct } from "../policy/policy.js";
import { answerInWindow, fillWindow } from "../problem.js";
import { findConnection, openProject } from "../projects/open-project.js";
import { whoIn } from "../projects/words.js";
import {
  type Actions,
  type Forms,
  keep,
  memberNow,
  type Request,
  type SentForm,
  type UsedControl,
} from "../request.js";
import { type Draft, mrkdwnMessage, Refused } from "../slack/answer.js";
import { type Modal, waitingModal } from "../slack/views.js";
import { ACT, type Act, actCommandIn, type Scene, sceneOf } from "./act.js";
import { enabling, resending } from "./deliveries.js";
import { disconnecting } from "./disconnect.js";
import { revoking } from "./tokens.js";

type ActNamed<Name> = Extract<ActCommand, { name: Name }>;

const acts: { readonly [Name in ActCommand["name"]]: (command: ActNamed<Name>) => Act } = {
  revoke: revoking,
  resend: resending,
  enable: enabling,
  disconnect: disconnecting,
};

/** Generic, because only for one name at a time does TypeScript know that the act takes the command. */
const actOf = <Name extends ActCommand["name"]>(command: ActNamed<Name> & { readonly name: Name }): Act =>
  acts[command.name](command);

async function needRight(act: Act, member: Member | undefined, scene: Scene): Promise<void> {
  const { policy } = scene.request.config;
  if (member && (mayAct(policy, member, act.right) || (await act.isAllowedAnyway?.(member, scene)))) return;
  throw new Refused(mrkdwnMessage(`You may not ${act.doing}. Ask ${whoIn(policy.act[act.right])}.`));
}

/** Opens a window that shows what an act concerns, or shows it in the window that the act was chosen in. */
export async function openAct(asked: ActCommand, request: Request, over?: UsedControl["view"]): Promise<undefined> {
  const { projectId } = await findConnection(asked.in, request, (id) => language.write({ ...asked, in: id }));
  const command = { ...asked, in: projectId };
  const act = actOf(command);
  const viewId = over && !over.isHome ? over.id : await request.openWindow(act.title);
  await fillWindow(viewId, act.title, request, async () => {
    const scene = sceneOf(await openProject(projectId, request, () => "projects"), request);
    try {
      await needRight(act, await request.member(), scene);
    } catch (error) {
      if (error instanceof Refused) await recordRefusal(request, { ...act.record, projectId }, error);
      throw error;
    }
    return actModal(act, command, scene);
  });
}

async function actModal(act: Act, command: ActCommand, scene: Scene): Promise<Modal> {
  const { title, submit } = act;
  const { blocks, field, isPossible = true } = await act.look(scene);
  if (!isPossible) return { title, blocks: [...blocks], keep: keep(scene.request) };
  return {
    title,
    blocks: [...blocks, ...(field ? [field] : [])],
    callbackId: ACT,
    submit,
    close: "Cancel",
    keep: keep(scene.request, { act: language.write(command) }),
  };
}

export const actActions: Actions = {
  [ACT]: { isUrgent: true, run: (request, { value, view }) => openAct(actCommandIn(value, request), request, view) },
};

// A window can be submitted once.
const ONCE_MS = 60 * 60_000;

/** Does what the window shows, after all rights were checked again, and shows in the window what came of it. */
export const actForms: Forms = {
  [ACT]: {
    meanwhile: waitingModal("Media Ops", "Working on it…"),
    async run(request, sent) {
      const { title } = actOf(actCommandIn(sent.kept.act, request));
      await answerInWindow({ id: sent.viewId, title, place: "in the conversation" }, request, () => run(sent, request));
    },
    async refused(request, { kept }, why) {
      const command = actCommandIn(kept.act, request);
      await recordRefusal(request, { ...actOf(command).record, projectId: command.in }, why);
    },
  },
};

async function run({ kept, values, viewId }: SentForm, request: Request): Promise<Draft> {
  const command = actCommandIn(kept.act, request);
  const act = actOf(command);
  return audited(request, { ...act.record, projectId: command.in }, async (record) => {
    const { claims, teamId, userId } = request;
    if (!(await claims.first(`act ${teamId} ${viewId}`, ONCE_MS))) {
      throw new Refused("This window was submitted before. Nothing was done a second time.");
    }
    const scene = sceneOf(await openProject(command.in, request, () => "projects"), request);
    await needRight(act, await memberNow(userId, request), scene);
    return act.run(scene, record, values);
  });
}
