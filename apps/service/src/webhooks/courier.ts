import { hash } from "node:crypto";
import type { WebhookLogEntry } from "@media-ops/contract";
import type { Vault } from "@media-ops/secrets";
import { LRUCache } from "lru-cache";
import type { NewEntry } from "../logs/log-store.js";
import { redact } from "../secrets/redact.js";
import type { EndpointHealth } from "./endpoint-health.js";
import type { Receipt, WebhookSender } from "./sender.js";
import { signatureHeaders } from "./signature.js";
import { purposeOf, type Webhook } from "./webhooks.js";

/** A webhook to sign and send. */
export interface WebhookMessage {
  readonly webhook: Webhook;
  /** The same for each try, so that the receiver can recognise a repeat. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/** The result of a try, and its entry of the webhook log. */
export interface SentWebhook {
  readonly receipt: Receipt;
  readonly entry: NewEntry;
}

// Enough for the webhooks in use; decrypting a secret again takes a fraction of a millisecond.
const MAX_SECRETS = 10_000;

/** The signing secrets of webhooks, decrypted once and then cached. */
export class WebhookSecrets {
  readonly #vault: Vault;
  readonly #opened = new LRUCache<string, string>({ max: MAX_SECRETS });

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The secrets that sign at a time, the newest first. */
  async of(webhook: Webhook, now: number): Promise<string[]> {
    const { secret, oldSecret, oldSecretUntil } = webhook;
    const isRotating = oldSecret !== null && now < (oldSecretUntil ?? 0);
    return Promise.all([secret, ...(isRotating ? [oldSecret] : [])].map((sealed) => this.#open(webhook, sealed)));
  }

  async #open({ projectId, kind }: Webhook, sealed: string): Promise<string> {
    const cached = this.#opened.get(sealed);
    if (cached !== undefined) return cached;
    const opened = await this.#vault.open(sealed, purposeOf(projectId, kind));
    this.#opened.set(sealed, opened);
    return opened;
  }
}

interface CourierOptions {
  readonly sender: WebhookSender;
  readonly secrets: WebhookSecrets;
  /** Receives whether each webhook was accepted. */
  readonly health?: Pick<EndpointHealth, "note">;
  now(): number;
}

/** Signs webhooks and sends them. */
export class Courier {
  readonly #sender: WebhookSender;
  readonly #secrets: WebhookSecrets;
  readonly #health: Pick<EndpointHealth, "note"> | undefined;
  readonly #now: () => number;

  constructor({ sender, secrets, health, now }: CourierOptions) {
    this.#sender = sender;
    this.#secrets = secrets;
    this.#health = health;
    this.#now = now;
  }

  /** Sends a webhook once. Never rejects. */
  async send(message: WebhookMessage): Promise<SentWebhook> {
    const receipt = await this.#send(message);
    this.#health?.note(message.webhook, isSuccess(receipt), receipt.startedAt);
    return { receipt, entry: entryOf(message, receipt) };
  }

  async #send({ webhook, id, body, timeoutMs }: WebhookMessage): Promise<Receipt> {
    const timestamp = this.#now();
    const { url, projectId: sender } = webhook;
    let secrets: string[];
    try {
      secrets = await this.#secrets.of(webhook, timestamp);
    } catch {
      const fault = "its signing secret cannot be decrypted: it was encrypted with another master key";
      return { status: 0, startedAt: timestamp, elapsedMs: 0, body: Buffer.alloc(0), fault };
    }
    const headers = signatureHeaders({ id: headerSafe(id), timestamp, body, secrets });
    return this.#sender.send({ url, sender, headers, body, timeoutMs });
  }
}

/** The id itself, or its hash if a header may not contain it. */
function headerSafe(id: string): string {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(id) ? id : `sha256-${hash("sha256", id)}`;
}

/** Whether the receiver accepted the webhook. */
export const isSuccess = ({ status }: Receipt): boolean => status >= 200 && status < 300;

/** The status by which a receiver unsubscribes. */
export const GONE = 410;

function entryOf({ webhook, type, body }: WebhookMessage, { status, startedAt, elapsedMs }: Receipt): NewEntry {
  const { projectId, url } = webhook;
  const entry: WebhookLogEntry = {
    timestamp: new Date(startedAt).toISOString(),
    type: kindOf(type),
    url: redact(url),
    status,
    elapsed_time_ms: Math.round(elapsedMs),
    ...idsIn(body),
  };
  return { projectId, kind: "webhooks", timestamp: entry.timestamp, text: JSON.stringify(entry) };
}

const ids = { channel_id: "channel_id", connection_id: "connection_id", event_id: "id" } as const;

/** The ids in a webhook that say what it is about. */
function idsIn(body: string): Pick<WebhookLogEntry, keyof typeof ids> {
  const members: Record<string, unknown> = Object(JSON.parse(body));
  return Object.fromEntries(
    Object.entries(ids).flatMap(([name, member]) => {
      const id = members[member];
      return typeof id === "string" ? [[name, id]] : [];
    }),
  );
}

/** The type in the log's format, `<object>.<action>`, even if the media server sent another. */
function kindOf(type: string): string {
  return /^[^.]+\.[^.]/.test(type) ? type : `event.${type.replace(/^\.+/, "") || "unnamed"}`.slice(0, 255);
}
