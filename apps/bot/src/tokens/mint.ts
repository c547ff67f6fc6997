import { tokenDefaults } from "@media-ops/commands";
import { splitChannelId } from "@media-ops/tokens";
import { audited } from "../audit/audited.js";
import { auditChannelOf } from "../audit/post.js";
import type { Project } from "../connections/clients.js";
import { type CommandNamed, formatLength, language } from "../language.js";
import {
  allowedFor,
  approvalFor,
  type Decision,
  type DesiredMint,
  decideMint,
  grantsOf,
  isApprovalPossible,
} from "../policy/decide.js";
import type { Member, TokenPolicy } from "../policy/policy.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, Refused } from "../slack/blocks.js";
import { channelFault, type DesiredToken } from "./desired-token.js";
import { makeToken } from "./make-token.js";
import { refusalDraft, tokenMessage } from "./message.js";

/**
 * Creates a token, records it, and returns the message that shows it. Refusals are recorded, too.
 *
 * @throws {Refused} if the person may not create it, or the service returned a token that allows more.
 */
export async function mint(desired: DesiredToken, request: Request): Promise<Draft> {
  const { prefix, timeZone, userId, channelId: placeId } = request;
  const { command } = desired;
  const { joinUrl } = request.config;
  const now = request.now();
  const project = await openProject(projectNamed(desired), request, (id) => language.write(inProject(desired, id)));
  return audited(request, { action: "token.mint", projectId: project.id, subject: command.id }, async (record) => {
    needChannelOf(desired, project.id);
    const lifetimeMs = await allowedLifetime(desired, project, request, now);
    const order = { ...desired, lifetimeMs, userId, placeId, now };
    return tokenMessage(await makeToken(order, project, request, record), { now, timeZone, prefix, joinUrl });
  });
}

/** The project that a token's command or channel names. */
export const projectNamed = ({ command: { in: project, channel } }: DesiredToken): string | undefined =>
  project ?? (channel === undefined ? undefined : splitChannelId(channel)?.projectId);

/** The command of a token with another project. */
export function inProject({ command }: DesiredToken, projectId: string): CommandNamed<"token"> {
  const named = command.channel === undefined ? undefined : splitChannelId(command.channel);
  return { ...command, ...(named && { channel: named.name }), in: projectId };
}

/**
 * The service would refuse it, too, but does not know which projects are connected here.
 *
 * @throws {Refused} if the token's channel belongs to another project.
 */
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

/** The token's lifetime; throws if the person may not create it. */
async function allowedLifetime(
  desired: DesiredToken,
  project: Project,
  request: Request,
  now: number,
): Promise<number> {
  const { policy } = request.config;
  const member = await request.member();
  const wanted = wantedOf(desired, { policy, member, projectId: project.id, now });
  const decision = decideMint(policy, member, wanted);
  if (!decision.ok)
    throw await refusal(decision, { ...desired, command: { ...desired.command, in: project.id } }, wanted, request);
  needFuture(desired, wanted.forMs, now);
  return wanted.forMs;
}

/** The refusal, with a button for each way on. */
async function refusal(
  decision: Extract<Decision, { ok: false }>,
  desired: DesiredToken,
  wanted: DesiredMint,
  { config, connections, teamId, member: whoAsks }: Request,
): Promise<Refused> {
  const { policy } = config;
  const [member, all] = [await whoAsks(), await connections.all(teamId)];
  const mayMakeSome = all.some(({ projectId }) => grantsOf(policy, member, projectId).length > 0);
  const auditChannel = auditChannelOf(config, teamId);
  const rule = approvalFor(policy, member, wanted, auditChannel);
  return new Refused(
    refusalDraft(decision, member, {
      choose: mayMakeSome ? desired : undefined,
      ask: rule && desired,
      hint: isApprovalPossible(policy, auditChannel) || policy.approvals ? undefined : NO_CHANNEL,
    }),
  );
}

const NO_CHANNEL = "The operator can also name a channel in which more can be requested.";

/** A token's times are whole seconds. */
const inSeconds = (ms: number): number => Math.floor(ms / 1000) * 1000;
