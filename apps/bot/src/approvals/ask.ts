import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { audited } from "../audit/audited.js";
import { actPlace, auditChannelOf } from "../audit/post.js";
import type { Connection } from "../connections/connections.js";
import { type Action, type Form, keep } from "../features.js";
import { language } from "../language.js";
import { approvalFor, decideMint } from "../policy/decide.js";
import type { ApprovalRule } from "../policy/policy.js";
import { openFilled } from "../problem.js";
import { findConnection } from "../projects/open-project.js";
import { whoIn } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnMessage, mrkdwnSection, plainSection, Refused } from "../slack/blocks.js";
import { isClosedPlace, refusalOf } from "../slack/client.js";
import { type Modal, textInput } from "../slack/views.js";
import {
  type DesiredToken,
  inProject,
  LONGEST_REASON,
  needChannelOf,
  needFuture,
  projectNamed,
  readDesired,
  wantedOf,
  writeDesired,
} from "../tokens/desired-token.js";
import { refusalText } from "../tokens/message.js";
import { pendingMessage, type RequestTerms, termLines } from "./message.js";
import type { NewRequest, RequestMessage, TokenRequest } from "./request-store.js";

/** The window that asks why. */
export const ASK_FORM = "ask-approval";

const TITLE = "Ask for approval";
// More would only keep those busy who decide.
const MOST_PENDING = 3;
// A direct message to each: for more people there are channels.
const MOST_MEMBERS = 20;
const TOO_OLD = "This message is too old to use. Request the token again.";

/** Opens the window that asks for the reason. */
export const openAsk: Action = {
  isUrgent: true,
  run: (request, { value }) => openFilled(TITLE, request, () => askModal(value, request)),
};

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

/** Posts the request where the policy says. */
export const askForm: Form = {
  async run(request, { values, kept }) {
    const desired = typeof kept.desired === "string" ? readDesired(kept.desired, request.now()) : undefined;
    const { reason } = values;
    if (!desired || reason === undefined) throw new Refused(TOO_OLD);
    await request.answer.say(await ask(desired, reason, request));
  },
};

async function ask(desired: DesiredToken, reason: string, request: Request): Promise<Draft> {
  const { approvals, teamId, userId, channelId, served } = request;
  const projectId = (await connectionFor(desired, request)).projectId;
  return audited(request, { action: "token.request", projectId }, async (record) => {
    const { rule, terms, connection } = await askable(desired, request);
    if ((await approvals.pending(teamId, userId)) >= MOST_PENDING) {
      throw new Refused(`You have ${MOST_PENDING} requests that nobody has decided yet. Wait for them first.`);
    }
    const fresh: NewRequest = {
      ...terms,
      ...{ served, userId, reason, placeId: channelId, baseUrl: connection.baseUrl, tokenId: desired.command.id },
    };
    const asked = await approvals.add(fresh);
    record.note({ subject: asked.id, detail: detailOf(asked) });
    const messages = await post(asked, rule, request).catch(async (error: unknown) => {
      await approvals.remove(teamId, asked.id);
      throw error;
    });
    await approvals.posted(teamId, asked.id, messages);
    const where = rule.postTo.startsWith("S") ? `to <!subteam^${rule.postTo}>` : `in <#${rule.postTo}>`;
    // The request itself is in the audit channel already.
    if (rule.postTo === auditChannelOf(request.config, teamId)) record.announce(null);
    else {
      const facts = [
        ["Project", escapeMrkdwn(projectId)],
        ["Reason", escapeMrkdwn(reason)],
        ["Request", asked.id],
      ] as const;
      record.announce({ heading: `<@${userId}> asked for an access token in ${actPlace(channelId)}.`, facts });
    }
    return mrkdwnMessage(
      `✓ Asked ${where}. If it is approved within 15 minutes, the token is sent to you as a direct message.`,
    );
  });
}

/** The terms in a line, for the audit log. */
const detailOf = ({ role, channel, lifetimeMs, reason }: TokenRequest): string =>
  `${role === "any" ? "any role" : role}, ${channel ?? "every channel"}, ${lifetimeMs / 1000} s, reason: ${reason}`;

const connectionFor = (desired: DesiredToken, request: Request): Promise<Connection> =>
  findConnection(projectNamed(desired), request, (id) => language.write(inProject(desired, id)));

/** The rule for a request, and its terms. */
interface Askable {
  readonly rule: ApprovalRule;
  readonly terms: RequestTerms;
  readonly connection: Connection;
}

/** @throws {Refused} if the person need not ask, or nobody can approve it. */
async function askable(desired: DesiredToken, request: Request): Promise<Askable> {
  const { config, teamId } = request;
  const { policy } = config;
  const now = request.now();
  const connection = await connectionFor(desired, request);
  const { projectId } = connection;
  needChannelOf(desired, projectId);
  const member = await request.member();
  const wanted = wantedOf(desired, { policy, member, projectId, now });
  const decision = decideMint(policy, member, wanted);
  if (decision.ok) throw new Refused("You may make this token without approval by now. Request it again.");
  needFuture(desired, wanted.forMs, now);
  const rule = approvalFor(policy, member, wanted, auditChannelOf(config, teamId));
  if (!rule) throw new Refused(mrkdwnMessage(`${refusalText(decision, member)} Nobody can approve this.`));
  const { channel, max, starting } = desired.command;
  const terms = {
    ...{ projectId, channel, role: wanted.role, lifetimeMs: wanted.forMs },
    ...{ startsAt: starting, maxConnections: max },
  };
  return { rule, terms, connection };
}

/** Posts a request to a channel, or to each member of a user group; returns the messages. */
async function post(
  asked: TokenRequest,
  { postTo, approvers }: ApprovalRule,
  { slack, log }: Pick<Request, "slack" | "log">,
): Promise<RequestMessage[]> {
  const message = { ...pendingMessage(asked, approvers), unfurl_links: false };
  const isGroup = postTo.startsWith("S");
  const places = isGroup ? await othersIn(postTo, asked.userId, { slack, log }) : [postTo];
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
      isGroup
        ? `Nobody was asked: <!subteam^${postTo}> has no other members. Tell the bot's operator.`
        : `Nobody was asked: the bot can't post in <#${postTo}>. Invite it there, or tell the bot's operator.`,
    ),
  );
}

/** The members of a user group, without the person who asks. */
async function othersIn(
  groupId: string,
  userId: string,
  { slack, log }: { slack: WebClient; log: Logger },
): Promise<string[]> {
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
