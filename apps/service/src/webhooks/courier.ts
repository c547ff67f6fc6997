import { hash } from "node:crypto";
import { redactKeys } from "@media-ops/secrets";
import type { WebhookLogEntry } from "../generated/media.js";
import type { NewEntry } from "../logs/log-store.js";
import type { Receipt, WebhookSender } from "./sender.js";
import { signatureHeaders } from "./signature.js";
import type { WebhookSecrets } from "./webhook-secrets.js";
import type { Webhook } from "./webhooks.js";

/** A webhook on its way to a project's own address. */
export interface Letter {
  readonly webhook: Webhook;
  /** The same for each try, so that the receiver can tell a repeat. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/** What became of a try, and what the webhook log says of it. */
export interface Try {
  readonly receipt: Receipt;
  readonly entry: NewEntry;
}

/** Signs webhooks, sends them, and says what became of each. */
export class Courier {
  readonly #sender: WebhookSender;
  readonly #secrets: WebhookSecrets;
  readonly #now: () => number;

  constructor({ sender, secrets, now }: { sender: WebhookSender; secrets: WebhookSecrets; now: () => number }) {
    this.#sender = sender;
    this.#secrets = secrets;
    this.#now = now;
  }

  async send(letter: Letter): Promise<Try> {
    const receipt = await this.#send(letter);
    return { receipt, entry: entryOf(letter.webhook, letter.type, receipt) };
  }

  async #send({ webhook, id, body, timeoutMs }: Letter): Promise<Receipt> {
    const timestamp = this.#now();
    const { url, projectId: sender } = webhook;
    let secrets: string[];
    try {
      secrets = await this.#secrets.of(webhook, timestamp);
    } catch {
      const fault = "its signing secret cannot be read: it was sealed under another master key";
      return { status: 0, startedAt: timestamp, elapsedMs: 0, body: Buffer.alloc(0), fault };
    }
    const headers = signatureHeaders({ id: headerSafe(id), timestamp, body, secrets });
    return this.#sender.send({ url, sender, headers, body, timeoutMs });
  }
}

/** An id as a header may bear it: one with other characters in a form that is its own all the same. */
function headerSafe(id: string): string {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(id) ? id : `sha256-${hash("sha256", id)}`;
}

export const isSuccess = ({ status }: Receipt): boolean => status >= 200 && status < 300;

/** What the receiver says when it wants no more. */
export const GONE = 410;

function entryOf({ projectId, url }: Webhook, type: string, { status, startedAt, elapsedMs }: Receipt): NewEntry {
  const entry: WebhookLogEntry = {
    timestamp: new Date(startedAt).toISOString(),
    type: kindOf(type),
    url: redactKeys(url),
    status,
    elapsed_time_ms: Math.round(elapsedMs),
  };
  return { projectId, kind: "webhooks", timestamp: entry.timestamp, text: JSON.stringify(entry) };
}

/** The kind as the log shows it: `<object>.<action>`, also where the media server has sent something else. */
function kindOf(type: string): string {
  return /^[^.]+\.[^.]/.test(type) ? type : `event.${type.replace(/^\.+/, "") || "unnamed"}`.slice(0, 255);
}
