import { shorten } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { redact } from "@media-ops/secrets";
import { undoEscapes } from "../http/entrance.js";
import type { IncomingRequest } from "../request.js";
import { Failed, Refused } from "../slack/answer.js";
import type { AuditAction, AuditEnd, NewAudit } from "./audit-log.js";
import { type AuditPost, actPlace, postAudit } from "./post.js";

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

/**
 * Does what must be on record: the intent is recorded before, and nothing is done without that; the outcome after. What
 * is done is posted to the operator's audit channel as well.
 *
 * @throws what the act throws; a {@link Refused} is recorded with its reason.
 */
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
