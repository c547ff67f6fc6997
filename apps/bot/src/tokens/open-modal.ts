import { keep } from "../features.js";
import { nothingConnected } from "../projects/nothing-connected.js";
import { type Standing, standingOf } from "../projects/open-project.js";
import { Refused } from "../refused.js";
import type { Request } from "../request.js";
import { WHO_ARE_YOU } from "../slack/people.js";
import { markedSection, wordsOnly } from "../slack/sections.js";
import { orProblem, showIn } from "../slack/show-in.js";
import { type Modal, openModal, waitingModal } from "../slack/views.js";
import { allowedFor } from "./choices.js";
import { TITLE, tokenModal } from "./modal.js";
import { refusalWords } from "./refusal.js";
import { keepable } from "./sent.js";

/** Opens the window at once, and fills it when Slack has said who asks. */
export async function openTokenModal(request: Request): Promise<void> {
  const standing = await standingOf(request);
  if (standing.connections.length === 0) throw new Refused(await nothingConnected(request));
  const viewId = await openModal(request.slack, request.triggerId ?? "", waitingModal(TITLE));
  await showIn(request, viewId, await orProblem(TITLE, request, () => modalFor(standing, request)));
}

async function modalFor({ connections, here }: Standing, request: Request): Promise<Modal> {
  const { policy } = request.config;
  const [member, timeZone] = await Promise.all([request.member(), request.timeZone()]);
  const names = connections.map(({ projectId }) => projectId);
  const allowed = Object.fromEntries(
    names.map((name) => [name, allowedFor(policy, member, name)] as const).filter(([, some]) => isAnything(some)),
  );
  if (!isAnything(allowed)) {
    if (member.isUnknown) throw new Refused(wordsOnly(WHO_ARE_YOU));
    const [only] = names;
    const reason = `You may not make tokens for ${names.length === 1 ? `the project ${only}` : "any project"}.`;
    return { title: TITLE, blocks: [markedSection(refusalWords({ reason, ask: policy.ask }, member))] };
  }
  const { maxAheadMs } = policy;
  const kept = keep(request, keepable({ allowed, maxAheadMs }));
  return tokenModal({ allowed, project: here?.projectId, timeZone, maxAheadMs, keep: kept });
}

const isAnything = (some: object): boolean => Object.keys(some).length > 0;
