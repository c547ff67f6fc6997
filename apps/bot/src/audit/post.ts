import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { type Draft, mrkdwnMessage, mrkdwnSection, postDraft } from "../slack/answer.js";

interface Poster {
  readonly slack: WebClient;
  readonly log: Logger;
}

/** A message for the operator's audit channel, in Slack's markup; never a token or a key. */
export interface AuditPost {
  readonly heading: string;
  /** Those without a value are left out. */
  readonly facts: readonly (readonly [title: string, value: string | undefined])[];
}

/** The channel that is notified of the acts in a workspace; undefined if the operator named none. */
export const auditChannelOf = ({ auditChannels }: Pick<Config, "auditChannels">, teamId: string): string | undefined =>
  auditChannels.get(teamId) ?? auditChannels.get("");

/** Notifies the workspace's audit channel, if any, of an act. A failure is only logged. */
export async function postAudit(
  post: AuditPost,
  { config, slack, log, teamId }: Poster & { readonly config: Config; readonly teamId: string },
  about: { readonly action: string; readonly subject: string | undefined },
): Promise<void> {
  const channel = auditChannelOf(config, teamId);
  if (channel === undefined) return;
  try {
    await postDraft(slack, channel, auditDraft(post), log);
  } catch (error) {
    log.error({ err: error, channel, ...about }, "failed to notify the audit channel of an act");
  }
}

/** Sends a direct message, in Slack's markup, that no person waits for. A failure is only logged, with these words. */
export async function notify(userId: string, text: string, { slack, log }: Poster, failure: string): Promise<void> {
  await postDraft(slack, userId, mrkdwnMessage(text), log).catch((err: unknown) => log.warn({ err, userId }, failure));
}

/** The message of the audit channel: a heading, then a fact on each line. */
export function auditDraft({ heading, facts }: AuditPost): Draft {
  return { blocks: [mrkdwnSection([heading, ...factLines(facts)].join("\n"))], text: heading };
}

// Line breaks, and characters that change the direction of what follows.
const BREAKS = /[\s\u0085\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/g;

/** Facts in Slack's markup, each on one line: a value with line breaks would look like further facts. */
export const factLines = (facts: AuditPost["facts"]): string[] =>
  facts.flatMap(([title, value]) =>
    value === undefined ? [] : [`• *${title}:* ${value.replace(BREAKS, " ").trim()}`],
  );

/** The conversation that an act came from, in Slack's markup: only channels have names. */
export const actPlace = (placeId: string | undefined): string =>
  // Ids of channels start with a C, and those of old private channels with a G.
  placeId !== undefined && /^[CG]/.test(placeId) ? `<#${placeId}>` : "a direct conversation";
