import { escapeMrkdwn, type SlackMessage } from "@media-ops/formatters/slack";
import type { KnownBlock } from "@slack/types";
import type { WebClient } from "@slack/web-api";
import {
  type ActRecord,
  actPlace,
  auditChannelOf,
  audited,
  factLines,
  notify,
  postAudit,
  recordRefusal,
} from "../audit/audited.js";
import { type CommandNamed, formatLength, language } from "../language.js";
import { type ApprovalRule, approvalFor, decideMint, mayApprove } from "../policy/policy.js";
import { openFilled } from "../problem.js";
import { findConnection, openProject } from "../projects/open-project.js";
import { channelIdOf, strong, whoIn } from "../projects/words.js";
import {
  type Action,
  type Actions,
  type BotParts,
  type Form,
  type Forms,
  keep,
  memberNow,
  type Request,
  type UsedControl,
  type WorkspaceContext,
} from "../request.js";
import { type Access, backgroundClient } from "../slack/access.js";
import {
  button,
  createAnswer,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  plainSection,
  Refused,
  row,
  slackDate,
} from "../slack/answer.js";
import { isClosedPlace, refusalOf } from "../slack/client.js";
import { type Modal, textInput } from "../slack/views.js";
import {
  ASK_APPROVAL,
  type DesiredToken,
  inProject,
  LONGEST_REASON,
  makeToken,
  needChannelOf,
  needFuture,
  projectNamed,
  readDesired,
  refusalText,
  tokenMessage,
  wantedOf,
  writeDesired,
} from "../tokens/mint.js";
import { Looker } from "../work/jobs.js";
import { isRequestId, type RequestMessage, type TokenRequest } from "./request-store.js";

/** The actions of a request's message. The value of each is the request's id, and nothing else. */
export const APPROVE = "approve-token";
export const DENY = "deny-token";

/** What a request is for. */
type RequestTerms = Pick<
  TokenRequest,
  "projectId" | "channelId" | "role" | "lifetimeMs" | "startsAt" | "maxConnections"
>;

/** The terms of a requested token, a fact on each line, in Slack's markup. */
function termLines({ projectId, channelId, role, lifetimeMs, startsAt, maxConnections }: RequestTerms) {
  const start = startsAt === undefined ? "from its approval" : `from ${slackDate(startsAt)}`;
  return factLines([
    ["Project", escapeMrkdwn(projectId)],
    ["Channel", channelId === undefined ? "every channel" : escapeMrkdwn(channelIdOf(channelId, projectId))],
    ["Role", role],
    ["Lifetime", `${formatLength(lifetimeMs)}, ${start}`],
    ["Limit", maxConnections === undefined ? "none" : `${maxConnections} connections`],
  ]);
}

/** The message with the buttons, for those who may decide. */
function pendingMessage(request: TokenRequest, approvers: readonly string[]): SlackMessage {
  const { id, userId, lapsesAt } = request;
  const { blocks, text } = messageOf(
    request,
    `Until ${slackDate(lapsesAt)}, ${whoIn(approvers)} can decide. The token is sent to <@${userId}> alone.`,
  );
  const buttons = row(
    button({ label: "Approve", action: APPROVE, value: id, style: "primary" }),
    button({ label: "Deny", action: DENY, value: id, style: "danger" }),
  );
  return { blocks: [...blocks, ...buttons], text };
}

function messageOf(request: TokenRequest, state: string): SlackMessage {
  const text = `<@${request.userId}> asks for an access token.`;
  const reason = factLines([["Reason", escapeMrkdwn(request.reason)]]);
  const body = [`*${text}*`, ...termLines(request), ...reason].join("\n");
  return { blocks: [mrkdwnSection(body), mrkdwnSection(state)], text };
}

/** What became of a request, in Slack's markup. */
function endText({ state, decidedBy, decidedAt, userId }: TokenRequest): string {
  const by = `by <@${decidedBy ?? userId}>${decidedAt === undefined ? "" : `, ${slackDate(decidedAt)}`}`;
  const words: Record<TokenRequest["state"], string> = {
    approved: `✓ Approved ${by}.`,
    denied: `✗ Denied ${by}.`,
    failed: `Approved ${by}, but <@${userId}> got no token. They can ask again.`,
    lapsed: "Lapsed: nobody decided within 15 minutes.",
    approving: `Being approved ${by}.`,
    pending: "Nobody has decided yet.",
  };
  return words[state];
}

/** Shows what became of a request in its messages and the pressed one; the keeper tries again if Slack is away. */
async function showDecision(
  request: TokenRequest,
  { slack, approvals, log }: Pick<WorkspaceContext, "slack" | "approvals" | "log">,
  pressed?: RequestMessage,
): Promise<void> {
  const { text, blocks } = messageOf(request, endText(request));
  const messages = new Map([...request.messages, ...(pressed ? [pressed] : [])].map((one) => [one.ts, one]));
  let isShown = true;
  for (const { channel, ts } of messages.values()) {
    try {
      // The formatters' blocks are valid; the types of Slack's library lag behind the API.
      await slack.chat.update({ channel, ts, text, blocks: blocks as KnownBlock[] });
    } catch (error) {
      const code = refusalOf(error)?.code;
      isShown &&= code !== undefined && code !== "ratelimited";
      log.warn({ err: error, request: request.id, channel }, "failed to show what became of a request for approval");
    }
  }
  if (isShown) await approvals.shown(request.served.teamId, request.id);
}

/** The window that asks why. */
export const ASK_FORM = "ask-approval";

const TITLE = "Ask for approval";
// More would only keep those busy who decide.
const MOST_PENDING = 3;
// A direct message to each: for more people there are channels.
const MOST_MEMBERS = 20;
const TOO_OLD = "This message is too old to use. Request the token again.";

async function askModal(value: string, request: Request): Promise<Modal> {
  const desired = readDesired(value, request.now());
  if (!desired) throw new Refused(TOO_OLD);
  const { rule, terms } = await askable(desired, request);
  return {
    title: TITLE,
    blocks: [
      mrkdwnSection(termLines(terms).join("\n")),
      textInput("reason", "Reason", {
        multiline: true,
        longest: LONGEST_REASON,
        value: desired.reason?.slice(0, LONGEST_REASON),
        hint: "Why you need it; it is shown to those who decide.",
      }),
      plainSection("The token, if it is approved within 15 minutes, is sent to you alone, as a direct message."),
      mrkdwnSection(`It can be approved by ${whoIn(rule.approvers)}.`),
    ],
    callbackId: ASK_FORM,
    submit: "Ask",
    close: "Cancel",
    keep: keep(request, { desired: writeDesired(desired) }),
  };
}

const askForm: Form = {
  async run(request, { values, kept }) {
    const desired = typeof kept.desired === "string" ? readDesired(kept.desired, request.now()) : undefined;
    const { reason } = values;
    if (!desired || reason === undefined) throw new Refused(TOO_OLD);
    await request.answer.say(await ask(desired, reason, request));
  },
};

async function ask(desired: DesiredToken, reason: string, request: Request): Promise<Draft> {
  const { approvals, teamId, userId, channelId, served } = request;
  const { projectId } = await connectionFor(desired, request);
  return audited(request, { action: "token.request", projectId }, async (record) => {
    const { rule, terms, baseUrl } = await askable(desired, request);
    if ((await approvals.pending(teamId, userId)) >= MOST_PENDING) {
      throw new Refused(`You have ${MOST_PENDING} requests that nobody has decided yet. Wait for them first.`);
    }
    const { id: jti } = desired.command;
    const asked = await approvals.add({ ...terms, served, userId, reason, placeId: channelId, baseUrl, jti });
    const { role, channelId: channel = "every channel", lifetimeMs } = asked;
    const detail = `${role === "any" ? "any role" : role}, ${channel}, ${lifetimeMs / 1000} s, reason: ${reason}`;
    record.note({ subject: asked.id, detail });
    const messages = await post(asked, rule, request).catch(async (error: unknown) => {
      await approvals.remove(teamId, asked.id);
      throw error;
    });
    await approvals.posted(teamId, asked.id, messages);
    const facts = [
      ["Project", escapeMrkdwn(projectId)],
      ["Reason", escapeMrkdwn(reason)],
      ["Request", asked.id],
    ] as const;
    const heading = `<@${userId}> asked for an access token in ${actPlace(channelId)}.`;
    // The request itself is in the audit channel already.
    record.announce(rule.postTo === auditChannelOf(request.config, teamId) ? null : { heading, facts });
    const where = isGroup(rule.postTo) ? `to <!subteam^${rule.postTo}>` : `in <#${rule.postTo}>`;
    return mrkdwnMessage(
      `✓ Asked ${where}. If it is approved within 15 minutes, the token is sent to you as a direct message.`,
    );
  });
}

const isGroup = (id: string): boolean => id.startsWith("S");

const connectionFor = (desired: DesiredToken, request: Request) =>
  findConnection(projectNamed(desired), request, (id) => language.write(inProject(desired, id)));

/** The rule for a request, its terms and service; {@link Refused} if nobody need or can approve it. */
async function askable(desired: DesiredToken, request: Request) {
  const { config, teamId } = request;
  const { policy } = config;
  const now = request.now();
  const { projectId, baseUrl } = await connectionFor(desired, request);
  needChannelOf(desired, projectId);
  const member = await request.member();
  const wanted = wantedOf(desired, { policy, member, projectId, now });
  const decision = decideMint(policy, member, wanted);
  if (decision.ok) throw new Refused("You may make this token without approval by now. Request it again.");
  needFuture(desired, wanted.forMs, now);
  const rule = approvalFor(policy, member, wanted, auditChannelOf(config, teamId));
  if (!rule) throw new Refused(mrkdwnMessage(`${refusalText(decision, member)} Nobody can approve this.`));
  const { channel: channelId, max: maxConnections, starting: startsAt } = desired.command;
  const terms = { projectId, channelId, role: wanted.role, lifetimeMs: wanted.forMs, startsAt, maxConnections };
  return { rule, terms, baseUrl };
}

/** Posts a request to a channel, or to each member of a user group; returns the messages. */
async function post(asked: TokenRequest, { postTo, approvers }: ApprovalRule, request: Request) {
  const { slack, log } = request;
  const message = { ...pendingMessage(asked, approvers), unfurl_links: false };
  const places = isGroup(postTo) ? await othersIn(postTo, asked.userId, request) : [postTo];
  const posted: RequestMessage[] = [];
  let failure: unknown;
  for (const place of places) {
    try {
      const { channel = place, ts = "" } = await slack.chat.postMessage({ ...message, channel: place });
      posted.push({ channel, ts });
    } catch (error) {
      failure = error;
      log.warn({ err: error, place, request: asked.id }, "failed to post a request for approval");
    }
  }
  if (posted.length > 0) return posted;
  if (failure !== undefined && !isClosedPlace(failure)) throw failure;
  throw new Refused(
    mrkdwnMessage(
      isGroup(postTo)
        ? `Nobody was asked: <!subteam^${postTo}> has no other members. Tell the bot's operator.`
        : `Nobody was asked: the bot can't post in <#${postTo}>. Invite it there, or tell the bot's operator.`,
    ),
  );
}

async function othersIn(groupId: string, userId: string, { slack, log }: Request): Promise<string[]> {
  try {
    const { users = [] } = await slack.usergroups.users.list({ usergroup: groupId });
    const others = users.filter((id) => id !== userId);
    if (others.length > MOST_MEMBERS) {
      log.warn({ group: groupId, asked: MOST_MEMBERS }, "a user group is too large: not all of it gets a request");
    }
    return others.slice(0, MOST_MEMBERS);
  } catch (error) {
    if (refusalOf(error)?.code !== "no_such_subteam") throw error;
    return [];
  }
}

interface Decidable {
  readonly found: TokenRequest;
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

/** The request of a button, which holds only its id; {@link Refused} unless the person may decide it now. */
async function decidable(used: UsedControl, request: Request, record: ActRecord): Promise<Decidable> {
  const { approvals, teamId, userId, channelId: channel, config } = request;
  const id = idIn(used);
  const found = id === undefined ? undefined : await approvals.one(teamId, id);
  if (!found) throw new Refused("There is no such request in this workspace. Nothing was done.");
  record.note({ projectId: found.projectId });
  const { messageTs: ts } = used;
  const pressed = channel !== undefined && ts !== undefined ? { channel, ts } : undefined;
  // A request whose messages were not stored, because the bot stopped, is found by its id alone.
  const isItsOwn = found.messages.some((message) => message.channel === channel && message.ts === ts);
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

/** @throws {Refused} if the request is decided, or lapsed; its message then shows that, if it didn't. */
async function needPending(found: TokenRequest, request: Request, pressed: RequestMessage | undefined): Promise<void> {
  const { state } = found;
  if (state === "pending" && found.lapsesAt > request.now()) return;
  if (state === "approving") throw new Refused(mrkdwnMessage(endText(found)));
  // The keeper lapses it; until then, its message already shows that.
  if (state !== "pending") await showDecision(found, request, pressed);
  throw overBy(found);
}

const overBy = (found: TokenRequest): Refused => {
  const ended = found.state === "pending" ? { ...found, state: "lapsed" as const } : found;
  return new Refused(mrkdwnMessage(`${endText(ended)} Nothing was done.`));
};

/** @throws {Refused} if another person decided it first, or it lapsed just now. */
async function decideOnce(
  { found }: Decidable,
  { approvals, teamId, userId }: Request,
  state: "approving" | "denied",
): Promise<TokenRequest> {
  const decided = await approvals.decide(teamId, found.id, { userId, state });
  if (decided) return decided;
  throw overBy((await approvals.one(teamId, found.id)) ?? found);
}

async function approve(decidable: Decidable, request: Request, record: ActRecord): Promise<void> {
  const { approvals, teamId, slack, log, prefix, config } = request;
  const { found, timeZone, pressed } = decidable;
  const project = await projectOf(found, request);
  const decided = await decideOnce(decidable, request, "approving");
  const now = request.now();
  const { userId, placeId, reason, lifetimeMs } = decided;
  const command = commandOf(decided, now);
  const order = { command, reason, lifetimeMs, userId, placeId, approvedBy: request.userId, now };
  const end = async (state: "approved" | "failed"): Promise<void> => {
    await approvals.finish(teamId, decided.id, state);
    await showDecision({ ...decided, state }, request, pressed);
  };
  const requester = { ...request, userId, channelId: placeId };
  const made = await audited(requester, { action: "token.mint", projectId: project.id }, (minting) =>
    makeToken(order, project, request, minting),
  ).catch(async (error: unknown) => {
    // No token was handed out, so the request can be approved again.
    await approvals.finish(teamId, decided.id, "pending");
    throw error;
  });
  const message = tokenMessage(made, { now, timeZone, prefix, joinUrl: config.joinUrl });
  try {
    await createAnswer(slack, { userId }, log).say(message);
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
  const { channelId: channel, role, maxConnections: max, jti: id, startsAt: starting, projectId } = request;
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
  if (all.some((one) => one.projectId === projectId && one.baseUrl === baseUrl)) {
    return openProject(projectId, request, () => "projects");
  }
  throw new Refused(mrkdwnMessage(`${strong(projectId)} was disconnected since this was requested. Nothing was done.`));
}

async function deny(decidable: Decidable, request: Request, record: ActRecord): Promise<void> {
  const { userId, config, teamId } = request;
  const denied = await decideOnce(decidable, request, "denied");
  const place = decidable.pressed?.channel;
  const heading = `<@${userId}> denied an access token to <@${denied.userId}> in ${actPlace(place)}.`;
  // The request in the audit channel shows it already.
  const isThere = place !== undefined && place === auditChannelOf(config, teamId);
  record.announce(isThere ? null : { heading, facts: [["Request", denied.id]] });
  await showDecision(denied, request, decidable.pressed);
  const words = `<@${userId}> denied your request for an access token of ${strong(denied.projectId)}.`;
  await notify(denied.userId, words, request, "failed to notify a person that their request was denied");
}

/** The controls of requests for approval. */
export const approvalActions: Actions = {
  [ASK_APPROVAL]: {
    isUrgent: true,
    run: (request, { value }) => openFilled(TITLE, request, () => askModal(value, request)),
  },
  [APPROVE]: deciding("token.approve", approve),
  [DENY]: deciding("token.deny", deny),
};

/** The windows of requests for approval. */
export const approvalForms: Forms = { [ASK_FORM]: askForm };

type Parts = Pick<BotParts, "config" | "approvals" | "audit" | "log"> & { readonly access: Access };

// Nobody minds if a message says a few seconds later that its time is over: the press is checked by the clock.
const LOOK_MS = 5000;

/** Lapses the requests that nobody decided, and shows decisions that a stopped process didn't. */
export function keepRequests(parts: Parts): Looker {
  const { approvals, log } = parts;
  // One workspace's audit log may be unreachable while those of others are not.
  const onFault = (err: unknown): void => log.warn({ err }, "failed to end a request whose time is over");
  const look = async (): Promise<void> => {
    for (const request of await approvals.lapse()) await lapse(request, parts).catch(onFault);
    await approvals.failStuck();
    for (const request of await approvals.unshown()) await show(request, parts).catch(onFault);
  };
  return new Looker(look, LOOK_MS, (err) => log.warn({ err }, "failed to look for requests whose time is over"));
}

async function lapse(request: TokenRequest, parts: Parts): Promise<void> {
  const { audit, config, log } = parts;
  const { id: subject, projectId, userId, placeId } = request;
  const { teamId } = request.served;
  const action = "token.request";
  await audit.record(
    { teamId, userId, placeId, projectId, subject, action, via: "timer" },
    { outcome: "lapsed", detail: "Nobody decided within 15 minutes." },
  );
  const slack = await show(request, parts);
  if (!slack) return;
  const words = `Nobody decided your request for an access token of ${strong(projectId)} within 15 minutes. Ask again if you still need it.`;
  await notify(userId, words, { slack, log }, "failed to notify a person that their request lapsed");
  const channel = auditChannelOf(config, teamId);
  // The request in the audit channel shows it already.
  if (request.messages.some((one) => one.channel === channel)) return;
  const heading = `The request of <@${userId}> for an access token in ${actPlace(placeId)} lapsed.`;
  await postAudit({ heading, facts: [["Request", subject]] }, { config, slack, log, teamId }, { action, subject });
}

/** Shows what became of a request; returns Slack's client, or undefined if the workspace removed the bot. */
async function show(request: TokenRequest, parts: Parts): Promise<WebClient | undefined> {
  const slack = await backgroundClient(parts.access, request.served, parts);
  // Without Slack there is nothing to show.
  if (slack) await showDecision(request, { ...parts, slack });
  else await parts.approvals.shown(request.served.teamId, request.id);
  return slack;
}
