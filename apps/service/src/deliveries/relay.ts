import { randomUUID } from "node:crypto";
import type { AuthAnswer, SessionAnswer } from "@media-ops/contract";
import { parseJson } from "../json.js";
import type { LogWriter } from "../logs/log-writer.js";
import { GONE, isSuccess, type Receipt, type WebhookSender } from "../webhooks/sender.js";
import type { Webhook } from "../webhooks/webhooks.js";

// Less than the 10 s that the media server waits, so that the answer still arrives in time.
const TIMEOUT_MS = 9000;

interface RelayOptions {
  readonly sender: WebhookSender;
  readonly writer: LogWriter;
  onGone(webhook: Webhook): Promise<void>;
}

/** Forwards requests to a project's auth and session addresses, whose answers the media server awaits. */
export class Relay {
  readonly #options: RelayOptions;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Sends an admission request to the auth address. Only an explicit `allowed: true` admits the client. */
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

  /** Sends a session event to the session address, and returns its answer: empty if the project has no such address. */
  async session(webhook: Webhook, message: { id: string; type: string; body: string }): Promise<SessionAnswer> {
    if (webhook.offAt !== null) return {};
    const receipt = await this.#send(webhook, message);
    return (isSuccess(receipt) && answerIn(receipt)) || {};
  }

  async #send(webhook: Webhook, message: { id: string; type: string; body: string }): Promise<Receipt> {
    const { sender, writer, onGone } = this.#options;
    const { receipt, entry } = await sender.send({ webhook, ...message, timeoutMs: TIMEOUT_MS });
    writer.record(entry);
    if (receipt.status === GONE) await onGone(webhook);
    return receipt;
  }
}

const ADDRESS = "The project's own auth address";
// The contract's limit.
const MAX_REASON = 1024;

const refused = (what: string): AuthAnswer => ({ allowed: false, reason: `${ADDRESS} ${what}` });

function answerIn({ body }: Receipt): Record<string, unknown> | undefined {
  const answer = parseJson(body.toString());
  return typeof answer === "object" && answer !== null && !Array.isArray(answer) ? { ...answer } : undefined;
}
