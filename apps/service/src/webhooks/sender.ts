import { hash } from "node:crypto";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import type { WebhookLogEntry } from "@media-ops/contract";
import { isPrivateHost, PrivateAddressError, type Resolve } from "@media-ops/public-addresses";
import type { Vault } from "@media-ops/secrets";
import { LRUCache } from "lru-cache";
import { KeyedSlots } from "../keyed-slots.js";
import type { NewEntry } from "../logs/log-store.js";
import {
  errorCode,
  InvalidAnswerError,
  PendingRequests,
  type RequestAnswer,
  sendRequest,
} from "../outgoing/request.js";
import { redact } from "../secrets/redact.js";
import { type AddressOptions, webhookLookup } from "./address.js";
import { type SignatureHeaders, signatureHeaders } from "./signature.js";
import { type EndpointHealth, purposeOf, type Webhook } from "./webhooks.js";

/** A webhook to sign and send. */
export interface WebhookMessage {
  readonly webhook: Webhook;
  /** The same for each try, so that the receiver can recognise a repeat. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
  /** The time limit for everything, from the DNS lookup to the end of the answer. */
  readonly timeoutMs: number;
}

/** The answer to a webhook. */
export interface Receipt {
  /** 200 to 599, or 101; 0 if there was no answer. An answer counts even if its body never ends. */
  readonly status: number;
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** The first 64 KiB of the answer's body; the rest of a longer one is not read, which is not a fault. */
  readonly body: Buffer;
  /** Why the answer is missing or incomplete: for operators, without query strings and secrets. */
  readonly fault?: string;
}

/** Options of {@link WebhookSender}. */
export interface SenderOptions extends AddressOptions {
  readonly vault: Pick<Vault, "open">;
  readonly health?: Pick<EndpointHealth, "note">;
  now?: () => number;
  resolve?: Resolve;
}

type RequestStage = "waiting" | "sent" | "answered";

// Enough for an error message of the receiver, and small enough to store.
const MAX_BODY_BYTES = 65_536;
// Limits one slow receiver's share of the sockets that the process may open.
const MAX_AT_ONCE = 64;
const agentOptions = {
  keepAlive: true,
  // Most connections of a burst are not needed again.
  maxFreeSockets: 8,
  // Less than the 5 seconds after which many servers close an idle connection, so that none is used as it closes.
  timeout: 4000,
};
const UNSIGNED = "its signing secret cannot be decrypted: it was encrypted with another master key";
const PRIVATE = "its address is private; set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private addresses";

/** Signs webhooks, and sends them over kept connections; to public addresses, unless private ones are allowed. */
export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #now: () => number;
  readonly #secrets: WebhookSecrets;
  readonly #lookup: LookupFunction;
  readonly #agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  // Node's agents can limit requests, too, but open connections for those that were cancelled while they waited.
  readonly #slots = new KeyedSlots(MAX_AT_ONCE);
  readonly #pending = new PendingRequests();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#secrets = new WebhookSecrets(options.vault);
    this.#lookup = webhookLookup(options, options.resolve);
  }

  /** Sends a webhook once. Never rejects: the receipt has the fault. Returns also the entry for the webhook log. */
  async send(message: WebhookMessage) {
    const startedAt = this.#now();
    const since = performance.now();
    const answer = await this.#answerTo(message, startedAt);
    const receipt: Receipt = { ...answer, startedAt, elapsedMs: performance.now() - since };
    this.#options.health?.note(message.webhook, isSuccess(receipt), startedAt);
    return { receipt, entry: entryOf(message, receipt) };
  }

  /** Closes all connections. Webhooks in flight get a receipt with that fault. */
  close(): void {
    void this.#pending.close();
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #answerTo(message: WebhookMessage, timestamp: number): Promise<Pick<Receipt, "status" | "body" | "fault">> {
    const { webhook, id, timeoutMs } = message;
    // Node sends a large text much slower than its bytes.
    const body = Buffer.from(message.body);
    const url = URL.canParse(webhook.url) ? new URL(webhook.url) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return unanswered("its address is not an http(s) URL");
    // Node connects to IP addresses without a lookup, so the guarded lookup does not see them.
    if (!this.#options.allowPrivate && isPrivateHost(url.hostname)) return unanswered(PRIVATE);
    const explain = (why: unknown, stage: RequestStage): string => faultOf(why, stage, url.hostname, timeoutMs);
    return this.#pending.run(timeoutMs, async (signal) => {
      const secrets = await this.#secrets.of(webhook, timestamp).catch(() => undefined);
      if (!secrets) return unanswered(UNSIGNED);
      if (signal.aborted) return unanswered(explain(signal.reason, "sent"));
      const headers = signatureHeaders({ id: headerSafe(id), timestamp, body, secrets });
      // Projects don't wait for each other's webhooks to the same receiver.
      const release = await this.#slots.take(`${webhook.projectId} ${url.origin}`, signal);
      try {
        if (signal.aborted) return unanswered(explain(signal.reason, "waiting"));
        const { status, body: answer, fault } = await this.#post(url, { headers, body, signal });
        if (fault === undefined) return { status, body: answer };
        return { status, body: answer, fault: explain(fault, status === 0 ? "sent" : "answered") };
      } finally {
        release?.();
      }
    });
  }

  async #post(
    url: URL,
    { headers, body, signal }: { headers: SignatureHeaders; body: Buffer; signal: AbortSignal },
  ): Promise<RequestAnswer> {
    const request = {
      url,
      headers: { "content-type": "application/json", "user-agent": "media-ops", ...headers },
      body,
      maxBytes: MAX_BODY_BYTES,
      signal,
      lookup: this.#lookup,
    };
    const agent = url.protocol === "https:" ? this.#agents.https : this.#agents.http;
    const first = await sendRequest({ ...request, agent });
    // Probably the receiver has not seen it; if it has, the webhook-id shows that this is a repeat.
    return first.isStale && !signal.aborted ? sendRequest(request) : first;
  }
}

/** Whether the receiver accepted the webhook. */
export const isSuccess = ({ status }: Receipt): boolean => status >= 200 && status < 300;

/** The status by which a receiver unsubscribes. */
export const GONE = 410;

// Enough for the webhooks in use; decrypting a secret again takes a fraction of a millisecond.
const MAX_SECRETS = 10_000;

/** The signing secrets of webhooks, decrypted once and then cached. */
export class WebhookSecrets {
  readonly #opened: LRUCache<string, string, Webhook>;

  constructor(vault: Pick<Vault, "open">) {
    this.#opened = new LRUCache({
      maxSize: MAX_SECRETS,
      sizeCalculation: () => 1,
      fetchMethod: (sealed, _, { context: { projectId, kind } }) => vault.open(sealed, purposeOf(projectId, kind)),
    });
  }

  async of(webhook: Webhook, now: number): Promise<string[]> {
    const { secret, oldSecret, oldSecretUntil } = webhook;
    const sealed = oldSecret !== null && now < (oldSecretUntil ?? 0) ? [secret, oldSecret] : [secret];
    return Promise.all(sealed.map((one) => this.#opened.forceFetch(one, { context: webhook })));
  }
}

/** The id itself, or its hash if a header may not contain it. */
function headerSafe(id: string): string {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(id) ? id : `sha256-${hash("sha256", id)}`;
}

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

const unanswered = (fault: string) => ({ status: 0, body: Buffer.alloc(0), fault });

// Of a webhook that got no answer. The first that fits counts.
const faults: readonly (readonly [code: RegExp, fault: (host: string, code: string) => string])[] = [
  [/^ECONNREFUSED$/, () => "the connection was refused"],
  [/^(?:ECONNRESET|EPIPE)$/, () => "the connection was lost before it answered"],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, () => "its address could not be reached"],
  [/^ENOTFOUND$/, (host) => `the name ${host} was not found`],
  [/^(?:EAI_AGAIN|ETIMEOUT|ESERVFAIL|EREFUSED)$/, (host) => `the name ${host} could not be looked up`],
  [/^HPE_HEADER_OVERFLOW$/, () => "its answer's headers are larger than 16 KiB"],
  [/^HPE_/, () => "its answer is not HTTP"],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, () => "its certificate is self-signed"],
  [/^CERT_HAS_EXPIRED$/, () => "its certificate has expired"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, (host) => `its certificate is not for ${host}`],
  [/^(?:ERR_SSL_|EPROTO$)/, (_, code) => `the TLS handshake failed (${code})`],
  [/CERT|SIGNATURE/, (_, code) => `its certificate could not be verified (${code})`],
  [/^$/, () => "the connection failed"],
];

/** Explains a failed webhook. Shows only an error's code, as its text may contain secrets. */
export function faultOf(why: unknown, stage: RequestStage, host: string, timeoutMs: number): string {
  const isAnswered = stage === "answered";
  if (why === "closed") return `the service stopped before ${isAnswered ? "its answer ended" : "it answered"}`;
  if (why === "timeout") {
    const time = `${timeoutMs / 1000} s`;
    if (stage === "waiting") return `not sent within ${time}: ${MAX_AT_ONCE} others to ${host} were in flight`;
    return isAnswered ? `its answer did not end within ${time}` : `no answer within ${time}`;
  }
  if (why instanceof InvalidAnswerError) return why.message;
  if (why instanceof PrivateAddressError) return PRIVATE;
  const code = errorCode(why);
  if (isAnswered) {
    return code.startsWith("HPE_")
      ? "its answer is broken off by something that is not HTTP"
      : "the connection was lost before its answer ended";
  }
  const [, fault] = faults.find(([pattern]) => pattern.test(code)) ?? [];
  return fault?.(host, code) ?? `the connection failed (${code})`;
}
