import { shorten } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { redact } from "@media-ops/secrets";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { undoEscapes } from "../http/entrance.js";
import type { IncomingRequest } from "../request.js";
import { type Draft, Failed, mrkdwnMessage, mrkdwnSection, postDraft, Refused } from "../slack/answer.js";
import type { AuditAction, AuditEnd, NewAudit } from "./audit-log.js";

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

/** The person who acts, and where. */
export type Actor = Pick<
  IncomingRequest,
  "audit" | "channelId" | "config" | "later" | "log" | "slack" | "teamId" | "userId" | "via"
>;

/** An act, as it is known before it begins; see {@link AuditEntry}. */
export interface Act {
  readonly action: AuditAction;
  readonly projectId?: string | undefined;
  readonly subject?: string | undefined;
}

type Known = Omit<AuditEnd, "outcome">;

/** The record of an act under way. */
export interface ActRecord {
  note(known: Known): void;
  /** Sets the message for the audit channel; null for none. @default the action, its project and its subject */
  announce(post: AuditPost | null): void;
}

/** Records the intent, acts, and records the outcome; throws what the act throws. Posts what was done. */
export async function audited<T>(actor: Actor, act: Act, run: (record: ActRecord) => Promise<T>): Promise<T> {
  const { audit, log, later, userId, channelId } = actor;
  let known: Known = {};
  let post: AuditPost | null | undefined;
  const key = await audit.begin(newAudit(actor, act));
  let result: T;
  try {
    result = await run({
      note: (more) => {
        known = { ...known, ...more };
      },
      announce: (words) => {
        post = words;
      },
    });
  } catch (error) {
    await audit.end(key, { ...known, ...endOf(error) }).catch((failure: unknown) => {
      log.error({ err: failure, ...act }, "failed to record why an act was not done");
    });
    throw error;
  }
  await audit.end(key, { ...known, outcome: "done" });
  if (post === null) return result;
  const { action, projectId, subject } = { ...act, ...known };
  const words = post ?? {
    heading: `<@${userId}> did ${action} in ${actPlace(channelId)}.`,
    facts: [
      ["Project", projectId && escapeMrkdwn(projectId)],
      ["Id", subject && escapeMrkdwn(subject)],
    ],
  };
  later(() => postAudit(words, actor, { action, subject }));
  return result;
}

/** Records an act that was refused before it could begin. */
export const recordRefusal = (actor: Actor, act: Act, why: string | Refused): Promise<void> =>
  actor.audit.record(newAudit(actor, act), {
    outcome: "refused",
    detail: typeof why === "string" ? why : wordsOf(why),
  });

const newAudit = ({ teamId, userId, channelId: placeId, via }: Actor, act: Act): NewAudit => {
  const { action, projectId, subject } = act;
  return { teamId, userId, placeId, via, action, projectId, subject };
};

// A refusal is a sentence or two.
const LONGEST_DETAIL = 500;

const wordsOf = ({ draft }: Refused): string => shorten(redact(undoEscapes(draft.text)), LONGEST_DETAIL);

/** What is recorded of an error. Only the bot's own words: a service may write anything into its messages. */
function endOf(error: unknown): AuditEnd {
  if (error instanceof Refused) {
    return { outcome: error instanceof Failed ? "failed" : "refused", detail: wordsOf(error) };
  }
  return { outcome: "failed", detail: error instanceof Error ? error.name : undefined };
}
