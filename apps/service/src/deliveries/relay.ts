import { randomUUID } from "node:crypto";
import type { AuthAnswer, SessionAnswer } from "../generated/intake.js";
import type { LogWriter } from "../logs/log-writer.js";
import { type Courier, GONE, isSuccess } from "../webhooks/courier.js";
import type { Receipt } from "../webhooks/sender.js";
import type { Webhook } from "../webhooks/webhooks.js";

// Less than the media server's own 10 s: an answer must still get there.
const TIMEOUT_MS = 9000;

/** Options of {@link Relay}. */
export interface RelayOptions {
  readonly courier: Courier;
  readonly writer: LogWriter;
  /** Told that a receiver wants no more. */
  onGone(webhook: Webhook): Promise<void>;
}

/** Passes on at once what the media server waits for, and brings the receiver's answer back. */
export class Relay {
  readonly #options: RelayOptions;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Asks a project's own address whether a client is let in. Without a clear yes it is not. */
  async auth(webhook: Webhook, body: string): Promise<AuthAnswer> {
    if (webhook.offAt !== null) {
      return refused("is switched off. Set it again, or remove it.");
    }
    const receipt = await this.#send(webhook, { id: randomUUID(), type: "auth.requested", body });
    if (receipt.status === 0) return refused("did not answer.");
    if (!isSuccess(receipt)) return refused(`answered with status ${receipt.status}.`);
    const answer = answerIn(receipt);
    if (typeof answer?.allowed !== "boolean") return refused('answered without "allowed": true or false.');
    const { allowed, reason, ...settings } = answer;
    if (allowed) return { allowed, ...settings };
    return { allowed, reason: typeof reason === "string" ? reason.slice(0, MAX_REASON) : `${ADDRESS} refused.` };
  }

  /** Tells a project's own address of a session. What it does not answer is left out. */
  async session(webhook: Webhook, letter: { id: string; type: string; body: string }): Promise<SessionAnswer> {
    if (webhook.offAt !== null) return {};
    const receipt = await this.#send(webhook, letter);
    return (isSuccess(receipt) && answerIn(receipt)) || {};
  }

  async #send(webhook: Webhook, letter: { id: string; type: string; body: string }): Promise<Receipt> {
    const { courier, writer, onGone } = this.#options;
    const { receipt, entry } = await courier.send({ webhook, ...letter, timeoutMs: TIMEOUT_MS });
    writer.record(entry);
    if (receipt.status === GONE) await onGone(webhook);
    return receipt;
  }
}

const ADDRESS = "The project's own auth address";
// The contract's bound.
const MAX_REASON = 1024;

const refused = (what: string): AuthAnswer => ({ allowed: false, reason: `${ADDRESS} ${what}` });

function answerIn({ body }: Receipt): Record<string, unknown> | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString());
    return typeof answer === "object" && answer !== null && !Array.isArray(answer) ? { ...answer } : undefined;
  } catch {
    return undefined;
  }
}
