import { randomUUID } from "node:crypto";
import {
  EVERY_CHANNEL,
  joinLink,
  oneOfThese,
  type TokenRequest,
  tokenDefaults,
  tokenRequest,
} from "@media-ops/commands";
import { splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, formatToken, type SlackBlock, type SlackMessage } from "@media-ops/formatters/slack";
import { readUnverifiedToken, splitChannelId, type TokenClaims, TokenError, toClaims } from "@media-ops/tokens";
import type { Button } from "@slack/types";
import * as z from "zod";
import { actButton, requesterOf } from "../acts/act.js";
import { type ActRecord, type AuditPost, actPlace, auditChannelOf, audited } from "../audit/audited.js";
import type { Project } from "../connections/connections.js";
import { type CommandNamed, formatLength, language } from "../language.js";
import {
  allowedFor,
  approvalFor,
  type Decision,
  type DesiredMint,
  decideMint,
  grantsOf,
  isApprovalPossible,
  type Member,
  type TokenPolicy,
} from "../policy/policy.js";
import { openProject } from "../projects/open-project.js";
import { mentionOf } from "../projects/words.js";
import { type IncomingRequest, jsonIn, type Request } from "../request.js";
import {
  button,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  plainSection,
  Refused,
  row,
  slackDate,
  smallPrint,
} from "../slack/answer.js";
import type { Minting } from "../storage/records.js";

/** The longest reason for a token: enough for a sentence or two. */
export const LONGEST_REASON = 300;

/** A token that a person requests, by a command or a window. */
export interface DesiredToken {
  readonly command: CommandNamed<"token">;
  readonly reason?: string | undefined;
}

const written = z.tuple([z.string(), z.string().nullable()]);

/** Serializes it as the value of a button. */
export function writeDesired({ command, reason }: DesiredToken): string {
  return JSON.stringify([language.write(command), reason ?? null]);
}

/** Parses the output of {@link writeDesired}; undefined if another version of the bot wrote it. */
export function readDesired(text: string, now: number): DesiredToken | undefined {
  const { data } = written.safeParse(jsonIn(text));
  const read = data && language.parse(data[0], { now });
  if (!data || !read?.ok || read.command.name !== "token") return undefined;
  const { channel, ...rest } = read.command;
  // The language writes "every channel" as a channel's name, which a window must not show.
  const command = channel === undefined || channel === EVERY_CHANNEL ? rest : { ...rest, channel };
  return { command, reason: data[1] ?? undefined };
}

/** The project that a token's command or channel names. */
export const projectNamed = ({ command: { in: project, channel } }: DesiredToken): string | undefined =>
  project ?? (channel === undefined ? undefined : splitChannelId(channel)?.projectId);

/** The command of a token with another project. */
export function inProject({ command }: DesiredToken, projectId: string): CommandNamed<"token"> {
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  return { ...command, ...(named && { channel: named.name }), in: projectId };
}

/** Why a channel can't belong to a project, with or without the project in its name; undefined if it can. */
export function channelFault(channel: string, project: string): string | undefined {
  const id = splitChannelId(channel.includes("@") ? channel : `${channel}@${project}`);
  if (!id) return "Enter the channel's name, such as lobby. With its project it has at most 255 bytes.";
  if (id.projectId === project) return undefined;
  return `This channel belongs to the project ${id.projectId}, and the token is for ${project}. If that is part of its name, add @${project}.`;
}

/** Refuses a channel of another project: the service doesn't know which projects are connected here. */
export function needChannelOf({ command: { channel } }: DesiredToken, projectId: string): void {
  const fault = channel === undefined ? undefined : channelFault(channel, projectId);
  if (fault !== undefined) throw new Refused(fault);
}

/** What a policy decides about: the desired token with its defaults. */
export function wantedOf(
  { command }: DesiredToken,
  { policy, member, projectId, now }: { policy: TokenPolicy; member: Member; projectId: string; now: number },
): DesiredMint {
  const { role = tokenDefaults.role, starting = now } = command;
  // Without a lifetime in the command, the person gets the default, or less if the policy allows only that.
  const most = allowedFor(policy, member, projectId)[role] ?? tokenDefaults.forMs;
  const forMs = inSeconds(command.forMs ?? Math.min(tokenDefaults.forMs, most));
  // Some milliseconds have passed since the start was computed, so it is rounded up to a second.
  const startsInMs = Math.max(0, Math.ceil((starting - now) / 1000) * 1000);
  return { projectId, role, forMs, startsInMs };
}

/** @throws {Refused} if a token would have ended before it is made. */
export function needFuture({ command }: DesiredToken, forMs: number, now: number): void {
  if ((command.starting ?? now) + forMs > now) return;
  throw new Refused(
    `A token that starts then, for ${formatLength(forMs)}, would have ended already. Choose a later start.`,
  );
}

/** A token's times are whole seconds. */
const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** The action that deletes the message. */
export const HIDE = "hide-token";

/** A created token, and the facts for its message. */
export interface MadeToken {
  token: string;
  /** Undefined if the claims can't be read. */
  claims: TokenClaims | undefined;
  projectId: string;
  reason?: string | undefined;
  /** The person who approved it, if it exceeds the policy. */
  approvedBy?: string | undefined;
}

const ENDS_ITSELF = "It ends with its time, or when its API key is revoked.";
const UNREADABLE = "Access token: What it allows can't be read, and may be more than you asked for.";

/** The message with the token: in a block of its own and in the join link, neither in `text` nor behind a button. */
export function tokenMessage(
  made: MadeToken,
  options: {
    readonly now: number;
    readonly timeZone: string;
    readonly prefix: string;
    readonly joinUrl?: string | undefined;
  },
): Draft {
  const { token, claims, projectId, reason, approvedBy } = made;
  const { now, timeZone, prefix } = options;
  const joinUrl = joinUrlOf(made, options.joinUrl);
  const { blocks, text } = claims ? formatToken(token, claims, { now, timeZone, joinUrl }) : unreadable(token);
  const revoke = revokeButton(claims?.jti, projectId);
  const below: SlackBlock[] = [
    smallPrint(`Project ${escapeMrkdwn(projectId)}${reason === undefined ? "" : ` · reason: ${escapeMrkdwn(reason)}`}`),
    ...(approvedBy === undefined ? [] : [smallPrint(`Approved by <@${approvedBy}>`)]),
    ...(revoke ? [] : [smallPrint(ENDS_ITSELF)]),
    ...row(button({ label: "Hide", action: HIDE }), revoke),
  ];
  return {
    blocks: [...blocks, ...below],
    text,
    compact: token.length > LONGEST_COMPACT ? undefined : () => compactMessage(made, text, below),
    plain: `Slack refused to show the access token. Nobody has it, so make another with ${escapeMrkdwn(prefix)} token.`,
    isSecret: true,
  };
}

/** A button that ends a token; undefined if its id is none that can be typed. */
function revokeButton(id: string | undefined, projectId: string): Button | undefined {
  if (id === undefined || !/^[\w-]{1,100}$/.test(id)) return undefined;
  return actButton("Revoke…", "token", { name: "revoke", id, in: projectId });
}

/** The longest link that Slack shows. */
const LONGEST_LINK = 3000;

function joinUrlOf({ token, claims, projectId }: MadeToken, template: string | undefined): string | undefined {
  if (template === undefined) return undefined;
  const { name } = splitChannel(claims?.channel_id ?? "");
  const link = joinLink(template, { token, channel: name, project: projectId });
  return link.length > LONGEST_LINK ? undefined : link;
}

/** The longest section, less the code fences. */
const LONGEST_COMPACT = 2990;

function compactMessage({ token, claims }: MadeToken, text: string, below: SlackBlock[]): SlackMessage {
  const end = claims?.exp === undefined ? "" : `\nEnds: ${slackDate(claims.exp * 1000)}`;
  return {
    blocks: [
      mrkdwnSection(`${text}${end}`),
      // Only characters of a token are safe inside a code block: they can't end it.
      /^[\w.-]+$/.test(token) ? mrkdwnSection(`\`\`\`${token}\`\`\``) : plainSection(token),
      ...below,
    ],
    text,
  };
}

function unreadable(token: string): SlackMessage {
  return {
    blocks: [
      plainSection(UNREADABLE),
      {
        type: "rich_text",
        elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: token }] }],
      },
    ],
    text: UNREADABLE,
  };
}

/** Why a person may not create a token; see the same members of `Decision`. */
type NotAllowed = Pick<Extract<Decision, { ok: false }>, "reason" | "ask">;

/** The refusal, the allowed alternatives, and who can help; in Slack's markup. */
export function refusalText({ reason, ask }: NotAllowed, member: Member): string {
  return `${escapeMrkdwn(reason)} ${whoCanHelp(ask, member)}`;
}

/** The action that opens the window with the refused request. */
export const CHOOSE_TOKEN = "choose-token";
/** The action that opens the window for a request to those who may approve it. */
export const ASK_APPROVAL = "ask-approval";

/** A message that refuses a token, with a button to `choose` what is allowed or to `ask` for approval, and a hint. */
export function refusalDraft(
  refusal: NotAllowed,
  member: Member,
  {
    choose,
    ask,
    hint,
  }: {
    readonly choose?: DesiredToken | undefined;
    readonly ask?: DesiredToken | undefined;
    readonly hint?: string | undefined;
  },
): Draft {
  const words = [refusalText(refusal, member), ...(hint === undefined ? [] : [hint])].join(" ");
  return mrkdwnMessage(
    words,
    choose && button({ label: "Choose what is allowed", action: CHOOSE_TOKEN, value: writeDesired(choose) }),
    ask && button({ label: "Ask for approval…", action: ASK_APPROVAL, value: writeDesired(ask) }),
  );
}

function whoCanHelp(ask: readonly string[], { userId, isAdmin }: Member): string {
  const others = ask.filter((id) => id !== userId);
  if (others.length > 0) return `${oneOfThese(others.map(mentionOf), "or")} can help.`;
  // Don't refer people to themselves.
  if (isAdmin || ask.length > 0) return "The bot's operator can allow more in its token policy.";
  return "A workspace admin can help.";
}

/** Creates a token, records it, and returns the message that shows it. Refusals are recorded and thrown. */
export async function mint(desired: DesiredToken, request: Request): Promise<Draft> {
  const { prefix, timeZone, userId, channelId: placeId } = request;
  const { command } = desired;
  const { joinUrl } = request.config;
  const now = request.now();
  const project = await openProject(projectNamed(desired), request, (id) => language.write(inProject(desired, id)));
  return audited(request, { action: "token.mint", projectId: project.id, subject: command.id }, async (record) => {
    needChannelOf(desired, project.id);
    const lifetimeMs = await allowedLifetime(desired, project.id, request, now);
    const order = { ...desired, lifetimeMs, userId, placeId, now };
    return tokenMessage(await makeToken(order, project, request, record), { now, timeZone, prefix, joinUrl });
  });
}

/** The token's lifetime; if the person may not create it, throws the refusal, with a button for each way on. */
async function allowedLifetime(desired: DesiredToken, projectId: string, request: Request, now: number) {
  const { config, connections, teamId } = request;
  const { policy } = config;
  const member = await request.member();
  const wanted = wantedOf(desired, { policy, member, projectId, now });
  const decision = decideMint(policy, member, wanted);
  if (decision.ok) {
    needFuture(desired, wanted.forMs, now);
    return wanted.forMs;
  }
  const asked = { ...desired, command: { ...desired.command, in: projectId } };
  const all = await connections.all(teamId);
  const auditChannel = auditChannelOf(config, teamId);
  throw new Refused(
    refusalDraft(decision, member, {
      choose: all.some((one) => grantsOf(policy, member, one.projectId).length > 0) ? asked : undefined,
      ask: approvalFor(policy, member, wanted, auditChannel) && asked,
      hint: isApprovalPossible(policy, auditChannel) || policy.approvals ? undefined : NO_CHANNEL,
    }),
  );
}

const NO_CHANNEL = "The operator can also name a channel in which more can be requested.";

/** A token that may be made. */
export interface TokenOrder extends DesiredToken {
  readonly lifetimeMs: number;
  /** The person who gets it, and the conversation that they requested it in. */
  readonly userId: string;
  readonly placeId: string | undefined;
  /** The person who approved it, if it exceeds the policy. */
  readonly approvedBy?: string | undefined;
  readonly now: number;
}

/** Makes and records a token that the person may have; refuses one that allows more than was asked for. */
export async function makeToken(
  { command, reason, lifetimeMs, userId, placeId, approvedBy, now }: TokenOrder,
  project: Project,
  { log, teamId, mintings }: Pick<IncomingRequest, "log" | "mintings" | "teamId">,
  record: ActRecord,
): Promise<MadeToken> {
  const read = tokenRequest(command, { now, project: project.id, lifetimeMs });
  if (!read.ok) throw new Error("a channel without a project, though one is given");
  // The bot chooses the id, so that even the id of an unreadable token is known.
  const asked: Asked = { ...read.request, jwt_id: command.id ?? randomUUID() };
  record.note({ subject: asked.jwt_id });
  const requestedBy = requesterOf({ teamId, userId });
  const { access_token: token } = await project.ask((client, options) =>
    client.tokens.create(asked, { ...options, requestedBy }),
  );
  if (token.trim() === "") throw new Refused("The service answered without a token. Tell the service's operator.");
  const claims = readClaims(token);
  const excess = claims ? excessOf(asked, claims) : [];
  if (excess.length > 0) {
    log.error(
      { project: project.id, excess, jti: claims?.jti },
      "the service made an access token that allows more than was asked for",
    );
    throw new Refused(
      `The service made a token that allows more than was asked for (${excess.join(", ")}). It is not shown to anyone. Tell the service's operator.`,
    );
  }

  const minting: Minting = {
    team_id: teamId,
    user_id: userId,
    place_id: placeId ?? userId,
    at: now,
    project_id: project.id,
    ...termsOf(asked, claims, now),
    reason: reason ?? null,
  };
  // Only recorded tokens are handed out.
  await mintings.record(minting);
  record.note({ subject: minting.jti.slice(0, LONGEST_ID), detail: termsText(minting, approvedBy) });
  record.announce(mintingPost(minting, approvedBy));
  log.info({ project: project.id, jti: minting.jti, isReadable: claims !== undefined }, "an access token was made");
  return { token, claims, projectId: project.id, reason, approvedBy };
}

type Asked = TokenRequest & { jwt_id: string };

function readClaims(token: string): TokenClaims | undefined {
  try {
    return readUnverifiedToken(token).claims;
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

/** The terms of a token: its claims, or the request if the claims can't be read. */
function termsOf(asked: Asked, claims: TokenClaims | undefined, now: number) {
  const { jti, channel_id, role, nbf, exp, max_channel_connections } = claims ?? toClaims(asked, { now });
  return {
    jti: jti ?? asked.jwt_id,
    channel_id: channel_id ?? null,
    role: role ?? null,
    starts_at: inMs(nbf),
    ends_at: inMs(exp),
    max_connections: max_channel_connections ?? null,
  };
}

const inMs = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : Math.round(seconds * 1000);

/** The terms in which a token allows more than the request: `its role`, `its end`; empty if none. */
function excessOf(asked: TokenRequest, claims: TokenClaims): string[] {
  const { channel_id, role, max_channel_connections, not_before, expiration_time } = asked;
  // A missing claim sets no limit, so each default is the most permissive value.
  const {
    exp = Number.POSITIVE_INFINITY,
    nbf = Number.NEGATIVE_INFINITY,
    max_channel_connections: limit = Number.POSITIVE_INFINITY,
  } = claims;
  const faults: [string, boolean][] = [
    ["its channel", channel_id !== undefined && claims.channel_id !== channel_id],
    ["its role", role !== undefined && claims.role !== role],
    ["its start", not_before !== undefined && nbf * 1000 < Date.parse(not_before)],
    ["its end", exp * 1000 > Date.parse(expiration_time)],
    ["its limit", max_channel_connections !== undefined && limit > max_channel_connections],
  ];
  return faults.filter(([, isMore]) => isMore).map(([what]) => what);
}

/** A token's id is a UUID; that of another service may be longer. */
const LONGEST_ID = 100;

/** The terms of a token in a line, for the audit log. */
function termsText({ channel_id, role, ends_at, reason }: Minting, approvedBy: string | undefined): string {
  // A token may name any time, such as a year with too many digits.
  const isDate = ends_at !== null && Math.abs(ends_at) <= 8.64e15;
  return [
    role ?? "any role",
    channel_id ?? "every channel",
    ...(isDate ? [`until ${new Date(ends_at).toISOString()}`] : []),
    ...(approvedBy === undefined ? [] : [`approved by ${approvedBy}`]),
    ...(reason === null ? [] : [`reason: ${reason}`]),
  ].join(", ");
}

/** The audit channel's message: who got a token, where, and what it allows; never the token itself. */
export function mintingPost(minting: Minting, approvedBy?: string): AuditPost {
  const { channel_id, role, starts_at, ends_at, max_connections: limit, reason } = minting;
  return {
    heading: `<@${minting.user_id}> made an access token in ${actPlace(minting.place_id)}.`,
    facts: [
      ["Project", escapeMrkdwn(minting.project_id)],
      ["Channel", channel_id === null ? "every channel" : escapeMrkdwn(channel_id)],
      ["Role", escapeMrkdwn(role ?? "any")],
      ["Begins", starts_at === null ? "at once" : slackDate(starts_at)],
      ["Ends", ends_at === null ? "not known" : slackDate(ends_at)],
      ["Limit", limit === null ? "none" : limitText(limit)],
      ["Token id", escapeMrkdwn(minting.jti.slice(0, LONGEST_ID))],
      ["Reason", reason === null ? "none given" : escapeMrkdwn(reason)],
      ...(approvedBy === undefined ? [] : [["Approved by", `<@${approvedBy}>`] as const]),
    ],
  };
}

const limitText = (limit: number): string =>
  limit === 0 ? "0: no connection is admitted" : `fewer than ${limit} connections in the channel`;
