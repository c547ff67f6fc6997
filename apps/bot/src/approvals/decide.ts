import { type ActRecord, audited, recordRefusal } from "../audit/audited.js";
import { actPlace, auditChannelOf } from "../audit/post.js";
import type { Action, Actions, Forms, UsedControl } from "../features.js";
import type { CommandNamed } from "../language.js";
import { approvalFor, mayApprove } from "../policy/decide.js";
import { openProject } from "../projects/open-project.js";
import { strong, whoIn } from "../projects/words.js";
import { memberNow, type Request } from "../request.js";
import { createAnswer } from "../slack/answer.js";
import { mrkdwnMessage, Refused } from "../slack/blocks.js";

import { ASK_APPROVAL, tokenMessage } from "../tokens/message.js";
import { makeToken } from "../tokens/mint.js";
import { ASK_FORM, askForm, openAsk } from "./ask.js";
import { APPROVE, DENY, endText, showDecision } from "./message.js";
import { isRequestId, type RequestMessage, type TokenRequest } from "./request-store.js";

/** A request that the person who pressed may decide now. */
interface Decidable {
  readonly found: TokenRequest;
  /** The time zone of the person who asked. */
  readonly timeZone: string;
  readonly pressed: RequestMessage | undefined;
}

/** Does what a button says, after all rights were checked again. Every press is recorded, also one that is refused. */
const deciding = (
  action: "token.approve" | "token.deny",
  act: (decidable: Decidable, request: Request, record: ActRecord) => Promise<void>,
): Action => ({
  run: (request, used) =>
    audited(request, { action, subject: idIn(used) }, async (record) => {
      await act(await decidable(used, request, record), request, record);
    }),
  refused: (request, used, why) => recordRefusal(request, { action, subject: idIn(used) }, why),
});

/** The id in a button; undefined for all else, which may be anything, even a token. */
const idIn = ({ value }: UsedControl): string | undefined => (isRequestId(value) ? value : undefined);

/**
 * The request of a button, read from the database: the button holds only its id.
 *
 * @throws {Refused} unless it waits for a decision, and the person may decide it by what Slack and the policy say now.
 */
async function decidable(used: UsedControl, request: Request, record: ActRecord): Promise<Decidable> {
  const { approvals, teamId, userId, config } = request;
  const id = idIn(used);
  const found = id === undefined ? undefined : await approvals.one(teamId, id);
  if (!found) throw new Refused("There is no such request in this workspace. Nothing was done.");
  record.note({ projectId: found.projectId });
  const pressed = messageOf(used, request);
  // A request whose messages were not stored, because the bot stopped, is found by its id alone.
  const isItsOwn = found.messages.some(({ channel, ts }) => channel === pressed?.channel && ts === pressed.ts);
  if (found.messages.length > 0 && !isItsOwn) {
    throw new Refused("This button is not from the message of its request. Nothing was done.");
  }
  if (found.userId === userId) throw new Refused("Nobody may decide their own request. Nothing was done.");
  await needPending(found, request, pressed);
  const requester = await memberNow(found.userId, request);
  if (!requester) throw new Refused(mrkdwnMessage(`<@${found.userId}> can no longer use this bot. Nothing was done.`));
  const startsInMs = Math.max(0, (found.startsAt ?? 0) - request.now());
  const wanted = { projectId: found.projectId, role: found.role, forMs: found.lifetimeMs, startsInMs };
  const rule = approvalFor(config.policy, requester, wanted, auditChannelOf(config, teamId));
  if (!rule) throw new Refused("The policy no longer lets anybody approve this. Nothing was done.");
  const approver = await memberNow(userId, request);
  if (!approver || !mayApprove(rule, approver, found.userId)) {
    throw new Refused(
      mrkdwnMessage(`You may not decide this request; ask ${whoIn(rule.approvers)}. Nothing was done.`),
    );
  }
  return { found, timeZone: requester.timeZone, pressed };
}

const messageOf = ({ messageTs: ts }: UsedControl, { channelId: channel }: Request): RequestMessage | undefined =>
  channel !== undefined && ts !== undefined ? { channel, ts } : undefined;

/** @throws {Refused} if the request is decided, or lapsed; its message then shows that, if it didn't. */
async function needPending(found: TokenRequest, request: Request, pressed: RequestMessage | undefined): Promise<void> {
  const isOver = found.lapsesAt <= request.now();
  if (found.state === "pending" && !isOver) return;
  if (found.state === "approving") throw new Refused(mrkdwnMessage(endText(found)));
  // The keeper lapses it; until then, its message already shows that.
  const ended: TokenRequest = found.state === "pending" ? { ...found, state: "lapsed" } : found;
  if (found.state !== "pending") await showDecision(ended, request, pressed);
  throw new Refused(mrkdwnMessage(`${endText(ended)} Nothing was done.`));
}

/** @throws {Refused} if another person decided it first, or it lapsed just now. */
async function decideOnce(
  { found }: Decidable,
  { approvals, teamId, userId }: Request,
  state: "approving" | "denied",
): Promise<TokenRequest> {
  const decided = await approvals.decide(teamId, found.id, { userId, state });
  if (decided) return decided;
  const now = (await approvals.one(teamId, found.id)) ?? found;
  const words = now.state === "pending" ? endText({ ...now, state: "lapsed" }) : endText(now);
  throw new Refused(mrkdwnMessage(`${words} Nothing was done.`));
}

async function approve(decidable: Decidable, request: Request, record: ActRecord): Promise<void> {
  const { approvals, teamId, userId, slack, log, prefix } = request;
  const { found, timeZone, pressed } = decidable;
  const project = await projectOf(found, request);
  const decided = await decideOnce(decidable, request, "approving");
  const now = request.now();
  const requester = { ...request, userId: decided.userId, channelId: decided.placeId };
  const { userId: forUser, placeId, reason, lifetimeMs } = decided;
  const order = {
    command: commandOf(decided, now),
    reason,
    lifetimeMs,
    userId: forUser,
    placeId,
    approvedBy: userId,
    now,
  };
  const end = async (state: "approved" | "failed"): Promise<void> => {
    await approvals.finish(teamId, decided.id, state);
    await showDecision({ ...decided, state }, request, pressed);
  };
  const made = await audited(requester, { action: "token.mint", projectId: project.id }, (minting) =>
    makeToken(order, project, request, minting),
  ).catch(async (error: unknown) => {
    // No token was handed out, so the request can be approved again.
    await approvals.finish(teamId, decided.id, "pending");
    throw error;
  });
  const message = tokenMessage(made, { now, timeZone, prefix, joinUrl: request.config.joinUrl });
  try {
    await createAnswer(slack, { userId: decided.userId }, log).say(message);
  } catch (error) {
    await end("failed");
    throw error;
  }
  // The post about the token names who approved it.
  record.announce(null);
  await end("approved");
}

/** The command of the requested token. A start that has passed by now would shorten it. */
function commandOf(request: TokenRequest, now: number): CommandNamed<"token"> {
  const { channel, role, maxConnections: max, tokenId: id, startsAt: starting, projectId } = request;
  return {
    name: "token",
    ...{ role, in: projectId },
    ...(channel !== undefined && { channel }),
    ...(max !== undefined && { max }),
    ...(id !== undefined && { id }),
    ...(starting !== undefined && starting > now && { starting }),
  };
}

/** @throws {Refused} if the project is not connected, or not to the service of the request. */
async function projectOf({ projectId, baseUrl }: TokenRequest, request: Request) {
  const all = await request.connections.all(request.teamId);
  const connection = all.find((one) => one.projectId === projectId);
  if (connection?.baseUrl !== baseUrl) {
    throw new Refused(
      mrkdwnMessage(`${strong(projectId)} was disconnected since this was requested. Nothing was done.`),
    );
  }
  return openProject(projectId, request, () => "projects");
}

async function deny(decidable: Decidable, request: Request, record: ActRecord): Promise<void> {
  const { slack, userId, log, config, teamId } = request;
  const denied = await decideOnce(decidable, request, "denied");
  const place = decidable.pressed?.channel;
  // The request in the audit channel shows it already.
  if (place !== undefined && place === auditChannelOf(config, teamId)) record.announce(null);
  else {
    const heading = `<@${userId}> denied an access token to <@${denied.userId}> in ${actPlace(place)}.`;
    record.announce({ heading, facts: [["Request", denied.id]] });
  }
  await showDecision(denied, request, decidable.pressed);
  const words = `<@${userId}> denied your request for an access token of ${strong(denied.projectId)}.`;
  await createAnswer(slack, { userId: denied.userId }, log)
    .say(mrkdwnMessage(words))
    .catch((error: unknown) => log.warn({ err: error }, "failed to notify a person that their request was denied"));
}

/** The controls of requests for approval. */
export const approvalActions: Actions = {
  [ASK_APPROVAL]: openAsk,
  [APPROVE]: deciding("token.approve", approve),
  [DENY]: deciding("token.deny", deny),
};

/** The windows of requests for approval. */
export const approvalForms: Forms = { [ASK_FORM]: askForm };
