import { keep } from "../features.js";
import { nothingConnected } from "../projects/nothing-connected.js";
import { type Standing, standingOf } from "../projects/open-project.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { markedSection } from "../slack/sections.js";
import { orProblem, showIn } from "../slack/show-in.js";
import type { Modal } from "../slack/views.js";
import { allowedFor } from "./choices.js";
import { TITLE, tokenModal } from "./modal.js";
import { refusalWords } from "./refusal.js";
import { keepable } from "./sent.js";
import type { TokenWish } from "./wish.js";

/**
 * Opens the window at once, and fills it when Slack has said who asks.
 *
 * @param wish what they asked for before, to be changed as far as it is not allowed.
 */
export async function openTokenModal(request: Request, wish?: TokenWish): Promise<void> {
  const standing = await standingOf(request);
  if (standing.connections.length === 0) throw new Refused(await nothingConnected(request));
  const viewId = await request.openWindow(TITLE);
  await showIn(request, viewId, await orProblem(TITLE, request, () => modalFor(standing, request, wish)));
}

async function modalFor({ connections, here }: Standing, request: Request, wish?: TokenWish): Promise<Modal> {
  const { policy } = request.config;
  const [member, timeZone] = await Promise.all([request.member(), request.timeZone()]);
  const names = connections.map(({ projectId }) => projectId);
  const allowed = Object.fromEntries(
    names.map((name) => [name, allowedFor(policy, member, name)] as const).filter(([, some]) => isAnything(some)),
  );
  if (!isAnything(allowed)) {
    const [only] = names;
    const reason = `You may not make tokens for ${names.length === 1 ? `the project ${only}` : "any project"}.`;
    return { title: TITLE, blocks: [markedSection(refusalWords({ reason, ask: policy.ask }, member))] };
  }
  const { maxAheadMs } = policy;
  const { id, max } = wish?.command ?? {};
  const kept = keep(request, keepable({ allowed, maxAheadMs, id, askedLimit: max }));
  const project = wish?.command.in ?? here?.projectId;
  return tokenModal({ allowed, project, wish, timeZone, maxAheadMs, keep: kept });
}

const isAnything = (some: object): boolean => Object.keys(some).length > 0;
