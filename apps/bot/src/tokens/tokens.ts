import { auditChannelOf } from "../audit/post.js";
import { type Actions, type Forms, keep, type Shortcuts } from "../features.js";
import type { CommandNamed } from "../language.js";
import { allowedFor, isApprovalPossible } from "../policy/decide.js";
import { openFilled } from "../problem.js";
import { nothingConnected, type ProjectOverview, projectOverview } from "../projects/open-project.js";
import { typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnSection, Refused } from "../slack/blocks.js";
import type { Modal } from "../slack/views.js";
import { type DesiredToken, desiredIn, keepable, readDesired, tokenFaults } from "./desired-token.js";
import { CHOOSE_TOKEN, HIDE, refusalText } from "./message.js";
import { mint } from "./mint.js";
import { TITLE, TOKEN_FORM, tokenModal } from "./modal.js";

/** Creates the described token; without any arguments, a window requests them. */
export async function token(command: CommandNamed<"token">, request: Request): Promise<Draft | undefined> {
  const { name: _name, ...wanted } = command;
  if (Object.keys(wanted).length > 0) return mint({ command }, request);
  await openTokenModal(request);
  return undefined;
}

export const tokenActions: Actions = {
  [CHOOSE_TOKEN]: {
    isUrgent: true,
    run: (request, { value }) => openTokenModal(request, readDesired(value, request.now())),
  },
  [HIDE]: { run: ({ answer }) => answer.remove() },
};

export const tokenForms: Forms = {
  [TOKEN_FORM]: {
    faults: tokenFaults,
    async run(request, sent) {
      await request.answer.say(await mint(desiredIn(sent), request));
    },
  },
};

export const tokenShortcuts: Shortcuts = { media_token: (request) => openTokenModal(request) };

/**
 * Opens the window at once, and fills it after Slack has identified the person.
 *
 * @param desired The refused request, to be changed as far as it is not allowed.
 */
async function openTokenModal(request: Request, desired?: DesiredToken): Promise<void> {
  const overview = await projectOverview(request);
  if (overview.connections.length === 0) throw new Refused(await nothingConnected(request));
  await openFilled(TITLE, request, () => modalFor(overview, request, desired));
}

async function modalFor(
  { connections, here }: ProjectOverview,
  request: Request,
  desired?: DesiredToken,
): Promise<Modal> {
  const { policy } = request.config;
  const { timeZone } = request;
  const member = await request.member();
  const names = connections.map(({ projectId }) => projectId);
  const allowed = Object.fromEntries(
    names.map((name) => [name, allowedFor(policy, member, name)] as const).filter(([, some]) => isAnything(some)),
  );
  if (!isAnything(allowed)) {
    const [only] = names;
    const reason = `You may not make tokens for ${names.length === 1 ? `the project ${only}` : "any project"}.`;
    const canAsk = isApprovalPossible(policy, auditChannelOf(request.config, request.teamId));
    const hint = `Type what you need, such as ${typed(request.prefix, "token lobby for:10m")}, to ask for approval.`;
    const words = refusalText({ reason, ask: policy.ask }, member);
    return { title: TITLE, blocks: [mrkdwnSection(words), ...(canAsk ? [mrkdwnSection(hint)] : [])] };
  }
  const { maxAheadMs } = policy;
  const { id, max } = desired?.command ?? {};
  const kept = keep(request, keepable({ allowed, maxAheadMs, id, askedLimit: max }));
  const project = desired?.command.in ?? here?.projectId;
  return tokenModal({ allowed, project, desired, timeZone, maxAheadMs, keep: kept });
}

const isAnything = (some: object): boolean => Object.keys(some).length > 0;
