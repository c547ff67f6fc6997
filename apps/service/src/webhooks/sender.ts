import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import { isPrivateHost, PrivateAddressError, type Resolve } from "@media-ops/public-addresses";
import {
  errorCode,
  InvalidAnswerError,
  PendingRequests,
  type RequestAnswer,
  sendRequest,
} from "../outgoing/request.js";
import { type AddressOptions, webhookLookup } from "./address.js";

/** A webhook to send. */
export interface WebhookRequest {
  readonly url: string;
  /** The project that sends it: projects do not wait for each other's webhooks to the same receiver. */
  readonly sender: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string | Buffer;
  /** The time limit for everything, from the DNS lookup to the end of the answer. */
  readonly timeoutMs: number;
}

/** The outcome of a webhook. */
export interface Receipt {
  /** The receiver's status (200 to 599, or 101); 0 if it did not answer. An answer counts even if its body never ends. */
  readonly status: number;
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly elapsedMs: number;
  /** The first 64 KiB of the answer's body; the rest of a longer one is not read, which is not a fault. */
  readonly body: Buffer;
  /** Why the answer is missing or incomplete: for operators, without query strings and secrets. */
  readonly fault?: string;
}

/** Options of {@link WebhookSender}. */
export interface SenderOptions extends AddressOptions {
  /** The clock. @default Date.now */
  now?: () => number;
  /** Finds the addresses of a name. @default by asking the name servers */
  resolve?: Resolve;
}

/** How far a request had got when it failed. */
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
const PRIVATE = "its address is private; set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private addresses";

/** Sends webhooks over kept connections, to public addresses only unless private ones are allowed. */
export class WebhookSender {
  readonly #allowPrivate: boolean;
  readonly #now: () => number;
  readonly #lookup: LookupFunction;
  readonly #agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };
  readonly #turns = new Turns();
  readonly #pending = new PendingRequests();

  constructor({ allowPrivate, now = Date.now, resolve }: SenderOptions) {
    this.#allowPrivate = allowPrivate;
    this.#now = now;
    this.#lookup = webhookLookup({ allowPrivate }, resolve);
  }

  /** Posts a webhook. Never rejects: a failure of the network or the receiver results in a receipt with a fault. */
  async send(request: WebhookRequest): Promise<Receipt> {
    const startedAt = this.#now();
    const since = performance.now();
    const answer = await this.#answerTo(request);
    return { ...answer, startedAt, elapsedMs: performance.now() - since };
  }

  /** Closes all connections. Webhooks in flight get a receipt with that fault. */
  close(): void {
    void this.#pending.close();
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #answerTo(request: WebhookRequest): Promise<Pick<Receipt, "status" | "body" | "fault">> {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return unanswered("its address is not an http(s) URL");
    // Node connects to IP addresses without a lookup, so the guarded lookup does not see them.
    if (!this.#allowPrivate && isPrivateHost(url.hostname)) return unanswered(PRIVATE);
    const explain = (why: unknown, stage: RequestStage): string => faultOf(why, stage, url.hostname, request.timeoutMs);
    return this.#pending.run(request.timeoutMs, async (signal) => {
      const release = await this.#turns.take(`${request.sender} ${url.origin}`, signal);
      try {
        if (signal.aborted) return unanswered(explain(signal.reason, "waiting"));
        const { status, body, fault } = await this.#post(url, request, signal);
        if (fault === undefined) return { status, body };
        return { status, body, fault: explain(fault, status === 0 ? "sent" : "answered") };
      } finally {
        release();
      }
    });
  }

  async #post(url: URL, { headers, body }: WebhookRequest, signal: AbortSignal): Promise<RequestAnswer> {
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

const unanswered = (fault: string) => ({ status: 0, body: Buffer.alloc(0), fault });

const faultsByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost before it answered",
  EPIPE: "the connection was lost before it answered",
  EHOSTUNREACH: "its address could not be reached",
  ENETUNREACH: "its address could not be reached",
  ETIMEDOUT: "its address could not be reached",
  HPE_HEADER_OVERFLOW: "its answer's headers are larger than 16 KiB",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

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
  const known = faultsByCode[code];
  if (known !== undefined) return known;
  if (code === "ENOTFOUND") return `the name ${host} was not found`;
  if (/^(?:EAI_AGAIN|ETIMEOUT|ESERVFAIL|EREFUSED)$/.test(code)) return `the name ${host} could not be looked up`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `its certificate is not for ${host}`;
  if (code.startsWith("HPE_")) return "its answer is not HTTP";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return `the TLS handshake failed (${code})`;
  if (/CERT|SIGNATURE/.test(code)) return `its certificate could not be verified (${code})`;
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits how many requests with one key run at once. Node's agents can, but they open connections for requests that
 * were cancelled while they waited.
 */
class Turns {
  readonly #lines = new Map<string, Line>();

  /** Waits for a turn, or until the signal is aborted. Returns a function that ends the turn. */
  async take(key: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => {};
    const line = this.#lines.get(key) ?? { running: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.running < MAX_AT_ONCE) line.running += 1;
    else if (!(await untilCalled(line.waiting, signal))) return () => {};
    return () => {
      const [next] = line.waiting;
      if (next) next();
      else if (--line.running === 0) this.#lines.delete(key);
    };
  }
}

/** Waits in line. False if the signal was aborted first. */
function untilCalled(line: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isCalled: boolean): void => {
      line.delete(call);
      signal.removeEventListener("abort", cancel);
      resolve(isCalled);
    };
    const call = (): void => leave(true);
    const cancel = (): void => leave(false);
    line.add(call);
    signal.addEventListener("abort", cancel);
  });
}
