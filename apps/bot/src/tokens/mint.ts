import { randomUUID } from "node:crypto";
import { type TokenRequest, tokenDefaults, tokenRequest } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { readUnverifiedToken, splitChannelId, type TokenClaims, TokenError } from "@media-ops/tokens";
import type { Project } from "../connections/clients.js";
import { formatLength, language } from "../language.js";
import { allowedFor, decideMint, grantsOf } from "../policy/decide.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { mrkdwnSection, slackDate } from "../slack/blocks.js";
import { type Draft, Refused, sendDraft } from "../slack/draft.js";
import { channelFault, type DesiredToken } from "./desired-token.js";
import { refusalDraft, tokenMessage } from "./message.js";
import type { Minting } from "./mintings.js";

/**
 * Makes a token, records it, and returns the message that shows it.
 *
 * @throws {Refused} if the person may not make it, or the service made something else.
 */
export async function mint(desired: DesiredToken, request: Request): Promise<Draft> {
  const { log, prefix } = request;
  const { command, reason } = desired;
  const now = request.now();
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  const project = await openProject(command.in ?? named?.projectId, request, (id) =>
    language.write({ ...command, ...(named && { channel: named.name }), in: id }),
  );
  checkChannel(command, project);
  const lifetimeMs = await allowedLifetime(desired, project, request, now);

  const asked = requestFor(command, project, { now, lifetimeMs });
  const { access_token: token } = await project.ask((client) => client.tokens.create(asked));
  if (token.trim() === "") throw new Refused("The service answered without a token. Tell the service's operator.");
  const claims = readClaims(token);
  checkClaims(asked, claims, project, request);

  const minting = mintingOf({ asked, claims, projectId: project.id, reason }, request, now);
  // A token that isn't recorded is not handed out.
  await request.mintings.record(minting);
  log.info({ project: project.id, jti: minting.jti, isReadable: claims !== undefined }, "an access token was made");
  request.later(() => postAudit(minting, request));
  return tokenMessage({ token, claims, projectId: project.id, reason }, { now, timeZone: request.timeZone, prefix });
}

/** The service would refuse it, too, but knows nothing of the projects that are connected here. */
function checkChannel({ channel }: DesiredToken["command"], project: Project): void {
  const fault = channel === undefined ? undefined : channelFault(channel, project.id);
  if (fault !== undefined) throw new Refused(fault);
}

/** The token's lifetime, if it may be made. */
async function allowedLifetime(
  { command, reason }: DesiredToken,
  project: Project,
  request: Request,
  now: number,
): Promise<number> {
  const { policy } = request.config;
  const { role = tokenDefaults.role, starting = now } = command;
  const member = await request.member();
  // Without a lifetime in the command, the person gets the default or as much of it as they may have.
  const most = allowedFor(policy, member, project.id)[role] ?? tokenDefaults.forMs;
  const forMs = inSeconds(command.forMs ?? Math.min(tokenDefaults.forMs, most));
  // A start in 5 hours is some milliseconds nearer by now.
  const startsInMs = Math.max(0, Math.ceil((starting - now) / 1000) * 1000);
  const decision = decideMint(policy, member, { projectId: project.id, role, forMs, startsInMs });
  if (!decision.ok) {
    const all = await request.connections.all(request.teamId);
    const mayMakeSome = all.some(({ projectId }) => grantsOf(policy, member, projectId).length > 0);
    const desired = mayMakeSome ? { command: { ...command, in: project.id }, reason } : undefined;
    throw new Refused(refusalDraft(decision, { member, desired }));
  }
  if (starting + forMs <= now) {
    const words = `A token that starts then, for ${formatLength(forMs)}, would have ended already. Choose a later start.`;
    throw new Refused(words);
  }
  return forMs;
}

/** The id is chosen here, so that it is known of a token that cannot be read, too. */
function requestFor(
  command: DesiredToken["command"],
  { id: project }: Project,
  { now, lifetimeMs }: { now: number; lifetimeMs: number },
): Asked {
  const jwt_id = command.id ?? randomUUID();
  const asked = tokenRequest(command, { now, project, lifetimeMs });
  if (!asked.ok) throw new Error("a channel without a project, though one is given");
  return { ...asked.request, jwt_id };
}

interface Asked extends TokenRequest {
  jwt_id: string;
}

function readClaims(token: string): TokenClaims | undefined {
  try {
    return readUnverifiedToken(token).claims;
  } catch (error) {
    if (error instanceof TokenError) return undefined;
    throw error;
  }
}

function checkClaims(asked: Asked, claims: TokenClaims | undefined, { id: project }: Project, { log }: Request): void {
  const excess = claims ? excessOf(asked, claims) : [];
  if (excess.length === 0) return;
  log.error(
    { project, excess, jti: claims?.jti },
    "the service made an access token that allows more than was asked for",
  );
  const words = `The service made a token that allows more than was asked for (${excess.join(", ")}). It is not shown to anyone. Tell the service's operator.`;
  throw new Refused(words);
}

interface Made {
  asked: Asked;
  claims: TokenClaims | undefined;
  projectId: string;
  reason: string | undefined;
}

/** The record: the token's claims, or the request if the claims can't be read. */
function mintingOf({ asked, claims, projectId, reason }: Made, request: Request, now: number): Minting {
  const { teamId, userId, channelId } = request;
  const who = { teamId, userId, placeId: channelId ?? userId, at: now, projectId, reason };
  if (!claims) {
    const { not_before, expiration_time } = asked;
    return {
      ...who,
      jti: asked.jwt_id,
      channelId: asked.channel_id,
      role: asked.role,
      startsAt: not_before === undefined ? undefined : Date.parse(not_before),
      endsAt: Date.parse(expiration_time),
      maxConnections: asked.max_channel_connections,
    };
  }
  return {
    ...who,
    jti: claims.jti ?? asked.jwt_id,
    channelId: claims.channel_id,
    role: claims.role,
    startsAt: inMs(claims.nbf),
    endsAt: inMs(claims.exp),
    maxConnections: claims.max_channel_connections,
  };
}

/** A token's times are whole seconds. */
const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;

const inMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.round(seconds * 1000);

/** What a token allows beyond the request: `its role`, `its end`; empty if nothing. */
function excessOf(asked: TokenRequest, claims: TokenClaims): string[] {
  const { channel_id, role, max_channel_connections, not_before, expiration_time } = asked;
  // A claim that is missing sets no limit, and no comparison with it holds.
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

/** Notifies the workspace's audit channel, if it has one, of a new token. A failure is only logged. */
async function postAudit(minting: Minting, { config, slack, log }: Request): Promise<void> {
  const channel = config.auditChannels.get(minting.teamId) ?? config.auditChannels.get("");
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

/** A token's id is a UUID; what another service makes of it may be long. */
const LONGEST_ID = 100;

/** Who made a token, where, and what it allows; never the token itself. */
export function auditDraft(minting: Minting): Draft {
  const { userId, placeId, projectId, channelId, role, startsAt, endsAt, maxConnections, jti, reason } = minting;
  const heading = `<@${userId}> made an access token in ${placeText(placeId)}.`;
  const facts: [string, string][] = [
    ["Project", escapeMrkdwn(projectId)],
    ["Channel", channelId === undefined ? "every channel" : escapeMrkdwn(channelId)],
    ["Role", escapeMrkdwn(role ?? "any")],
    ["Begins", startsAt === undefined ? "at once" : slackDate(startsAt)],
    ["Ends", endsAt === undefined ? "not known" : slackDate(endsAt)],
    ["Limit", limitText(maxConnections)],
    ["Token id", escapeMrkdwn(jti.slice(0, LONGEST_ID))],
    ["Reason", reason === undefined ? "none given" : escapeMrkdwn(reason)],
  ];
  return {
    blocks: [mrkdwnSection([heading, ...facts.map(([title, value]) => `• *${title}:* ${value}`)].join("\n"))],
    text: heading,
  };
}

function limitText(maxConnections: number | undefined): string {
  if (maxConnections === undefined) return "none";
  return maxConnections === 0
    ? "0: no connection is admitted"
    : `fewer than ${maxConnections} connections in the channel`;
}

// Ids of channels begin with a C, those of old private ones with a G.
const placeText = (placeId: string): string => (/^[CG]/.test(placeId) ? `<#${placeId}>` : "a direct conversation");
