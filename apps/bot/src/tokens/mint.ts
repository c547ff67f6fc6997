import { randomUUID } from "node:crypto";
import { type TokenRequest, tokenDefaults, tokenRequest } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { readUnverifiedToken, splitChannelId, type TokenClaims, TokenError } from "@media-ops/tokens";
import type { Project } from "../connections/clients.js";
import { formatLength, language } from "../language.js";
import { allowedFor, decideMint, grantsOf } from "../policy/decide.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { sendDraft } from "../slack/answer.js";
import { type Draft, mrkdwnSection, Refused, slackDate } from "../slack/blocks.js";
import { channelFault, type DesiredToken } from "./desired-token.js";
import { refusalDraft, tokenMessage } from "./message.js";
import type { Minting } from "./mintings.js";

/**
 * Creates a token, records it, and returns the message that shows it.
 *
 * @throws {Refused} if the person may not create it, or the service returned a token that allows more.
 */
export async function mint(desired: DesiredToken, request: Request): Promise<Draft> {
  const { log, prefix } = request;
  const { command, reason } = desired;
  const now = request.now();
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  const project = await openProject(command.in ?? named?.projectId, request, (id) =>
    language.write({ ...command, ...(named && { channel: named.name }), in: id }),
  );
  // The service would refuse it, too, but does not know which projects are connected here.
  const fault = command.channel === undefined ? undefined : channelFault(command.channel, project.id);
  if (fault !== undefined) throw new Refused(fault);
  const lifetimeMs = await allowedLifetime(desired, project, request, now);

  const read = tokenRequest(command, { now, project: project.id, lifetimeMs });
  if (!read.ok) throw new Error("a channel without a project, though one is given");
  // The bot chooses the id, so that even the id of an unreadable token is known.
  const asked: Asked = { ...read.request, jwt_id: command.id ?? randomUUID() };
  const { access_token: token } = await project.ask((client, options) => client.tokens.create(asked, options));
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

  const { teamId, userId, channelId } = request;
  const minting: Minting = {
    team_id: teamId,
    user_id: userId,
    place_id: channelId ?? userId,
    at: now,
    project_id: project.id,
    ...termsOf(asked, claims),
    reason: reason ?? null,
  };
  // Only recorded tokens are handed out.
  await request.mintings.record(minting);
  log.info({ project: project.id, jti: minting.jti, isReadable: claims !== undefined }, "an access token was made");
  request.later(() => postAudit(minting, request));
  return tokenMessage({ token, claims, projectId: project.id, reason }, { now, timeZone: request.timeZone, prefix });
}

/** The token's lifetime; throws if the person may not create it. */
async function allowedLifetime(
  { command, reason }: DesiredToken,
  project: Project,
  request: Request,
  now: number,
): Promise<number> {
  const { policy } = request.config;
  const { role = tokenDefaults.role, starting = now } = command;
  const member = await request.member();
  // Without a lifetime in the command, the person gets the default, or less if the policy allows only that.
  const most = allowedFor(policy, member, project.id)[role] ?? tokenDefaults.forMs;
  const forMs = inSeconds(command.forMs ?? Math.min(tokenDefaults.forMs, most));
  // Some milliseconds have passed since the start was computed, so it is rounded up to a second.
  const startsInMs = Math.max(0, Math.ceil((starting - now) / 1000) * 1000);
  const decision = decideMint(policy, member, { projectId: project.id, role, forMs, startsInMs });
  if (!decision.ok) {
    const all = await request.connections.all(request.teamId);
    const mayMakeSome = all.some(({ projectId }) => grantsOf(policy, member, projectId).length > 0);
    const desired = mayMakeSome ? { command: { ...command, in: project.id }, reason } : undefined;
    throw new Refused(refusalDraft(decision, member, desired));
  }
  if (starting + forMs <= now) {
    const words = `A token that starts then, for ${formatLength(forMs)}, would have ended already. Choose a later start.`;
    throw new Refused(words);
  }
  return forMs;
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
function termsOf(asked: Asked, claims: TokenClaims | undefined) {
  if (!claims) {
    const { not_before, expiration_time } = asked;
    return {
      jti: asked.jwt_id,
      channel_id: asked.channel_id ?? null,
      role: asked.role ?? null,
      starts_at: not_before === undefined ? null : Date.parse(not_before),
      ends_at: Date.parse(expiration_time),
      max_connections: asked.max_channel_connections ?? null,
    };
  }
  return {
    jti: claims.jti ?? asked.jwt_id,
    channel_id: claims.channel_id ?? null,
    role: claims.role ?? null,
    starts_at: inMs(claims.nbf),
    ends_at: inMs(claims.exp),
    max_connections: claims.max_channel_connections ?? null,
  };
}

/** A token's times are whole seconds. */
const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

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

/** Notifies the workspace's audit channel, if any, of a new token. A failure is only logged. */
async function postAudit(minting: Minting, { config, slack, log }: Request): Promise<void> {
  const channel = config.auditChannels.get(minting.team_id) ?? config.auditChannels.get("");
  if (channel === undefined) return;
  try {
    await sendDraft(
      auditDraft(minting),
      async (message) => {
        await slack.chat.postMessage({ ...message, channel, unfurl_links: false });
      },
      log,
    );
  } catch (error) {
    log.error({ err: error, channel, jti: minting.jti }, "failed to notify the audit channel of an access token");
  }
}

/** A token's id is a UUID; that of another service may be longer. */
const LONGEST_ID = 100;

/** The audit message: who created a token, where, and what it allows; never the token itself. */
export function auditDraft(minting: Minting): Draft {
  const { channel_id, role, starts_at, ends_at, max_connections: limit, reason } = minting;
  const heading = `<@${minting.user_id}> made an access token in ${placeText(minting.place_id)}.`;
  const facts: [string, string][] = [
    ["Project", escapeMrkdwn(minting.project_id)],
    ["Channel", channel_id === null ? "every channel" : escapeMrkdwn(channel_id)],
    ["Role", escapeMrkdwn(role ?? "any")],
    ["Begins", starts_at === null ? "at once" : slackDate(starts_at)],
    ["Ends", ends_at === null ? "not known" : slackDate(ends_at)],
    ["Limit", limit === null ? "none" : limitText(limit)],
    ["Token id", escapeMrkdwn(minting.jti.slice(0, LONGEST_ID))],
    ["Reason", reason === null ? "none given" : escapeMrkdwn(reason)],
  ];
  return {
    blocks: [mrkdwnSection([heading, ...facts.map(([title, value]) => `• *${title}:* ${value}`)].join("\n"))],
    text: heading,
  };
}

const limitText = (limit: number): string =>
  limit === 0 ? "0: no connection is admitted" : `fewer than ${limit} connections in the channel`;

// Ids of channels start with a C, and those of old private channels with a G.
const placeText = (placeId: string): string => (/^[CG]/.test(placeId) ? `<#${placeId}>` : "a direct conversation");
