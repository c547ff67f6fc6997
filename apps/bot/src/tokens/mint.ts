import { randomUUID } from "node:crypto";
import { type TokenRequest, tokenRequest } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { readUnverifiedToken, type TokenClaims, TokenError, toClaims } from "@media-ops/tokens";
import { requesterOf } from "../acts/act.js";
import { type ActRecord, audited } from "../audit/audited.js";
import { type AuditPost, actPlace, auditChannelOf } from "../audit/post.js";
import type { Project } from "../connections/clients.js";
import { language } from "../language.js";
import { approvalFor, decideMint, grantsOf, isApprovalPossible } from "../policy/decide.js";
import { openProject } from "../projects/open-project.js";
import type { IncomingRequest, Request } from "../request.js";
import { type Draft, Refused, slackDate } from "../slack/blocks.js";
import { type DesiredToken, inProject, needChannelOf, needFuture, projectNamed, wantedOf } from "./desired-token.js";
import { type MadeToken, refusalDraft, tokenMessage } from "./message.js";
import type { Minting } from "./mintings.js";

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
