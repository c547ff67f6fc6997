import { randomUUID } from "node:crypto";
import { type TokenRequest, tokenDefaults, tokenRequest } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { readUnverifiedToken, splitChannelId, type TokenClaims, TokenError } from "@media-ops/tokens";
import type { Project } from "../connections/clients.js";
import { language, tellLength } from "../language.js";
import { allowedFor, decideMint, grantsOf } from "../policy/decide.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { markedSection, slackDate, wordsOnly } from "../slack/blocks.js";
import { type Draft, Refused, sendDraft } from "../slack/draft.js";
import { refusalDraft, tokenMessage } from "./message.js";
import type { Minting } from "./mintings.js";
import { channelFault, type TokenWish } from "./wish.js";

/**
 * Makes a token, records that it was made, and gives the message that shows it.
 *
 * @throws {Refused} where the person may not make it, or where it is not what was asked for.
 */
export async function mint(wish: TokenWish, request: Request): Promise<Draft> {
  const { log, prefix } = request;
  const { command, reason } = wish;
  const now = request.now();
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  const project = await openProject(command.in ?? named?.projectId, request, (id) =>
    language.write({ ...command, ...(named && { channel: named.name }), in: id }),
  );
  checkChannel(command, project);
  const lifetimeMs = await allowedLifetime(wish, project, request, now);

  const asked = requestFor(command, project, { now, lifetimeMs });
  const { access_token: token } = await project.ask((client) => client.tokens.create(asked));
  if (token.trim() === "") throw new Refused(wordsOnly("The service answered without a token. Tell whoever runs it."));
  const claims = readClaims(token);
  checkClaims(asked, claims, project, request);

  const minting = mintingOf({ asked, claims, projectId: project.id, reason }, request, now);
  // What nobody can look up later is not handed out.
  await request.mintings.record(minting);
  log.info({ project: project.id, jti: minting.jti, isReadable: claims !== undefined }, "an access token was made");
  request.later(() => tellAudit(minting, request));
  const timeZone = await request.timeZone();
  return tokenMessage({ token, claims, projectId: project.id, reason }, { now, timeZone, prefix });
}

/** The service would refuse it, too, but knows nothing of the projects that are connected here. */
function checkChannel({ channel }: TokenWish["command"], project: Project): void {
  const fault = channel === undefined ? undefined : channelFault(channel, project.id);
  if (fault !== undefined) throw new Refused(wordsOnly(fault));
}

/** For how long the token is good, where it may be made at all. */
async function allowedLifetime(
  { command, reason }: TokenWish,
  project: Project,
  request: Request,
  now: number,
): Promise<number> {
  const { policy } = request.config;
  const { role = tokenDefaults.role, starting = now } = command;
  const member = await request.member();
  // Whoever does not say for how long is given no more than they may have.
  const most = allowedFor(policy, member, project.id)[role] ?? tokenDefaults.forMs;
  const forMs = inSeconds(command.forMs ?? Math.min(tokenDefaults.forMs, most));
  // What was to begin in 5 hours has come nearer by some milliseconds since it was read.
  const startsInMs = Math.max(0, Math.ceil((starting - now) / 1000) * 1000);
  const decision = decideMint(policy, member, { projectId: project.id, role, forMs, startsInMs });
  if (!decision.ok) {
    const all = await request.connections.all(request.teamId);
    const mayMakeSome = all.some(({ projectId }) => grantsOf(policy, member, projectId).length > 0);
    const wish = mayMakeSome ? { command: { ...command, in: project.id }, reason } : undefined;
    throw new Refused(refusalDraft(decision, { member, wish }));
  }
  if (starting + forMs <= now) {
    const words = `A token that starts then, for ${tellLength(forMs)}, would have ended already. Give it a later start.`;
    throw new Refused(wordsOnly(words));
  }
  return forMs;
}

/** The id is chosen here, so that it is known of a token that cannot be read, too. */
function requestFor(
  command: TokenWish["command"],
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
  const words = `The service made a token that allows more than was asked for (${excess.join(", ")}). It is not shown to anybody. Tell whoever runs the service.`;
  throw new Refused(wordsOnly(words));
}

interface Made {
  asked: Asked;
  claims: TokenClaims | undefined;
  projectId: string;
  reason: string | undefined;
}

/** What is recorded: what the token says, or what was asked for where it cannot be read. */
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

/** What a token allows beyond what was asked for: `its role`, `its end`; nothing where all is as it was asked. */
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

/** Tells the workspace's audit channel, where it has one, that a token was made. A failure is logged, and no more. */
async function tellAudit(minting: Minting, { config, slack, log }: Request): Promise<void> {
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
    log.error({ err: error, channel, jti: minting.jti }, "the audit channel was not told of an access token");
  }
}

/** A token's id is a UUID; what another service makes of it may be long. */
const LONGEST_ID = 100;

/** Who made a token, where, and what it allows: all but the token. */
export function auditDraft(minting: Minting): Draft {
  const { userId, placeId, projectId, channelId, role, startsAt, endsAt, maxConnections, jti, reason } = minting;
  const heading = `<@${userId}> made an access token in ${placeWords(placeId)}.`;
  const facts: [string, string][] = [
    ["Project", escapeMrkdwn(projectId)],
    ["Channel", channelId === undefined ? "every channel" : escapeMrkdwn(channelId)],
    ["Role", escapeMrkdwn(role ?? "any")],
    ["Begins", startsAt === undefined ? "at once" : slackDate(startsAt)],
    ["Ends", endsAt === undefined ? "not known" : slackDate(endsAt)],
    ["Limit", limitWords(maxConnections)],
    ["Token id", escapeMrkdwn(jti.slice(0, LONGEST_ID))],
    ["Reason", reason === undefined ? "none given" : escapeMrkdwn(reason)],
  ];
  return {
    blocks: [markedSection([heading, ...facts.map(([title, value]) => `• *${title}:* ${value}`)].join("\n"))],
    text: heading,
  };
}

function limitWords(maxConnections: number | undefined): string {
  if (maxConnections === undefined) return "none";
  return maxConnections === 0
    ? "0: no connection is let in"
    : `fewer than ${maxConnections} connections in the channel`;
}

// Ids of channels begin with a C, those of old private ones with a G.
const placeWords = (placeId: string): string => (/^[CG]/.test(placeId) ? `<#${placeId}>` : "a direct conversation");
