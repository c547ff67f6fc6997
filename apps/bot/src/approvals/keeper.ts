import type { WebClient } from "@slack/web-api";
import { actPlace, auditChannelOf, notify, postAudit } from "../audit/post.js";
import { strong } from "../projects/words.js";
import type { BotParts } from "../request.js";
import { type Access, backgroundClient } from "../slack/access.js";
import { Looker } from "../work/looker.js";
import { showDecision } from "./message.js";
import type { TokenRequest } from "./request-store.js";

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
