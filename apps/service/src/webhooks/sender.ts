import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { isPrivateHost, PrivateAddressError, type Resolve } from "@media-ops/public-addresses";
import { type AddressOptions, webhookLookup } from "./address.js";

/** A webhook that is to be sent. */
export interface Outgoing {
  url: string;
  /** On whose behalf: nobody waits behind another's at the same receiver. */
  sender: string;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string | Buffer;
  /** How long all of it may take, from looking up the name to the end of the answer. */
  timeoutMs: number;
}

/** What became of a webhook. */
export interface Receipt {
  /** What the receiver answered (200 to 599, or 101); 0 where it did not. Its answer counts also if it never ends. */
  status: number;
  /** When it was begun, in milliseconds since 1970. */
  startedAt: number;
  elapsedMs: number;
  /** The first 64 KiB of the answer's body. The rest is not waited for, and that is no fault. */
  body: Buffer;
  /** Why there is no answer, or none that ends: for operators, without query strings and secrets. */
  fault?: string;
}

/** Options of {@link WebhookSender}. */
export interface SenderOptions extends AddressOptions {
  /** @default Date.now */
  now?: () => number;
  /** Finds the addresses of a name. @default by asking the name servers */
  resolve?: Resolve;
}

type Answer = Pick<Receipt, "status" | "body" | "fault">;

/** Why a webhook was given up, where no error was the cause. */
type GivenUp = "timeout" | "closed";

/** How far a webhook had come: waiting for others, under way, or answered but for the body's end. */
type Stage = "waiting" | "under way" | "answered";

// Enough for what a receiver says went wrong, and little enough to be kept.
const MAX_BODY_BYTES = 65_536;
// A slow receiver holds so many sockets of a sender at most, and not all that the process may have.
const MAX_AT_ONCE = 64;
const agentOptions = {
  keepAlive: true,
  // Of those that a burst has opened, most are not needed again.
  maxFreeSockets: 8,
  // Many servers end an idle connection after 5 seconds. Who ends it first does not send into one that is ending.
  timeout: 4000,
};
const PRIVATE =
  "its address is private, and webhooks go to public ones only unless MEDIA_ALLOW_PRIVATE_WEBHOOKS=true is set";

/** Sends webhooks, and says what became of each. */
export class WebhookSender {
  readonly #allowPrivate: boolean;
  readonly #now: () => number;
  readonly #lookup: LookupFunction;
  readonly #http = { request: httpRequest, agent: new HttpAgent(agentOptions) };
  readonly #https = { request: httpsRequest, agent: new HttpsAgent(agentOptions) };
  readonly #turns = new Turns(MAX_AT_ONCE);
  readonly #underWay = new Set<(why: GivenUp) => void>();
  #isClosed = false;

  constructor({ allowPrivate, now = Date.now, resolve }: SenderOptions) {
    this.#allowPrivate = allowPrivate;
    this.#now = now;
    this.#lookup = webhookLookup({ allowPrivate }, resolve);
  }

  /** Posts a webhook. Whatever the network and the receiver do, there is a receipt; a redirect is not followed. */
  async send(outgoing: Outgoing): Promise<Receipt> {
    const startedAt = this.#now();
    const since = performance.now();
    const answer = await this.#answerTo(outgoing);
    return { ...answer, startedAt, elapsedMs: performance.now() - since };
  }

  /** Ends all connections; what is under way gets a receipt that says so. */
  close(): void {
    this.#isClosed = true;
    for (const giveUp of this.#underWay) giveUp("closed");
    this.#http.agent.destroy();
    this.#https.agent.destroy();
  }

  async #answerTo(outgoing: Outgoing): Promise<Answer> {
    const url = URL.canParse(outgoing.url) ? new URL(outgoing.url) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return unanswered("its address is none of the web");
    // No socket looks these up, so that the guarded lookup does not see them.
    if (!this.#allowPrivate && isPrivateHost(url.hostname)) return unanswered(PRIVATE);
    const controller = new AbortController();
    const giveUp = (why: GivenUp): void => controller.abort(why);
    if (this.#isClosed) giveUp("closed");
    const timer = setTimeout(giveUp, outgoing.timeoutMs, "timeout");
    this.#underWay.add(giveUp);
    try {
      return await this.#inTurn(url, outgoing, controller.signal);
    } finally {
      this.#underWay.delete(giveUp);
      clearTimeout(timer);
    }
  }

  async #inTurn(url: URL, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
    const explain = (why: unknown, stage: Stage): string => faultOf(why, stage, url.hostname, outgoing.timeoutMs);
    const release = await this.#turns.take(`${outgoing.sender} ${url.origin}`, signal);
    const post = async (isAgain: boolean): Promise<Outcome> => {
      if (signal.aborted) return { answer: unanswered(explain(signal.reason, "waiting")), wasStale: false };
      const { request, agent } = url.protocol === "https:" ? this.#https : this.#http;
      const headers = { "content-type": "application/json", "user-agent": "media-ops", ...outgoing.headers };
      // Without an agent the connection is a fresh one.
      const options = { lookup: this.#lookup, method: "POST", headers, agent: isAgain ? (false as const) : agent };
      return exchange(request(url, options), outgoing.body, signal, explain);
    };
    try {
      const first = await post(false);
      // Probably nobody has seen it; where somebody has, webhook-id tells that this is the same one.
      return first.wasStale ? (await post(true)).answer : first.answer;
    } finally {
      release();
    }
  }
}

const unanswered = (fault: string): Answer => ({ status: 0, body: Buffer.alloc(0), fault });

interface Outcome {
  readonly answer: Answer;
  /** Whether a kept connection turned out to have been ended by the receiver, before a byte of an answer. */
  readonly wasStale: boolean;
}

/** Sends a request, and waits for its answer or until it is given up. */
function exchange(
  request: ClientRequest,
  body: string | Buffer,
  signal: AbortSignal,
  explain: (why: unknown, stage: Stage) => string,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let status: number | undefined;
    const settle = (fault?: string, wasStale = false): void => {
      signal.removeEventListener("abort", giveUp);
      const body = Buffer.concat(chunks, Math.min(length, MAX_BODY_BYTES));
      resolve({ answer: { status: status ?? 0, body, ...(fault !== undefined && { fault }) }, wasStale });
    };
    /** The connection is of no use to another. */
    const abandon = (fault?: string, wasStale?: boolean): void => {
      settle(fault, wasStale);
      request.destroy();
    };
    const fail = (why: unknown, wasStale?: boolean): void => {
      abandon(explain(why, status === undefined ? "under way" : "answered"), wasStale);
    };
    const giveUp = (): void => fail(signal.reason);
    let hasHeard = (): boolean => false;
    request.on("socket", (socket) => {
      const before = socket.bytesRead;
      hasHeard = () => socket.bytesRead > before;
    });
    // These listeners stay: errors that come after the receipt must not end the process.
    request.on("error", (error) => {
      fail(error, request.reusedSocket && !hasHeard() && /^(?:ECONNRESET|EPIPE)$/.test(codeOf(error)));
    });
    request.on("upgrade", (response, socket) => {
      socket.on("error", () => {}).destroy();
      status = response.statusCode;
      settle("it asked for another protocol instead of answering");
    });
    request.on("response", (response) => {
      const { statusCode = 0 } = response;
      response.on("error", (error) => fail(error));
      if (statusCode < 200 || statusCode > 599) {
        return abandon(`its answer's status is ${statusCode}, which HTTP does not know`);
      }
      status = statusCode;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BODY_BYTES) abandon();
      });
      response.on("end", () => {
        // Who answers without reading would otherwise be written to without end.
        if (request.writableFinished) settle();
        else abandon();
      });
    });
    signal.addEventListener("abort", giveUp);
    request.end(body);
  });
}

/** Says why a webhook got no answer, or none that ends. Of an error only its code is shown, never its text. */
export function faultOf(why: unknown, stage: Stage, host: string, timeoutMs: number): string {
  const isAnswered = stage === "answered";
  if (why === "closed") return `the service stopped before ${isAnswered ? "its answer ended" : "it answered"}`;
  if (why === "timeout") {
    const time = `${timeoutMs / 1000} s`;
    if (stage === "waiting") return `it was not sent within ${time}: ${MAX_AT_ONCE} others to ${host} were under way`;
    return isAnswered ? `its answer did not end within ${time}` : `no answer within ${time}`;
  }
  const code = codeOf(why);
  if (isAnswered) {
    return code.startsWith("HPE_")
      ? "its answer goes on as no HTTP"
      : "the connection was lost before its answer ended";
  }
  if (why instanceof PrivateAddressError) return PRIVATE;
  switch (code) {
    case "ENOTFOUND":
      return `the name ${host} could not be found`;
    case "EAI_AGAIN":
    case "ETIMEOUT":
    case "ESERVFAIL":
    case "EREFUSED":
      return `the name ${host} could not be looked up`;
    case "ECONNREFUSED":
      return "the connection was refused";
    case "ECONNRESET":
    case "EPIPE":
      return "the connection was lost before it answered";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "ETIMEDOUT":
      return "its address could not be reached";
    case "HPE_HEADER_OVERFLOW":
      return "its answer's headers are larger than 16 KiB";
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return "its certificate is self-signed";
    case "CERT_HAS_EXPIRED":
      return "its certificate has expired";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `its certificate is not for ${host}`;
  }
  if (code.startsWith("HPE_")) return "its answer is no HTTP";
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") return `TLS could not be agreed on (${code})`;
  if (/CERT|SIGNATURE/.test(code)) return `its certificate could not be verified (${code})`;
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets so many of one sender at once use one origin. Node's agents could, but open connections for requests that were given up while
 * they waited.
 */
class Turns {
  readonly #limit: number;
  readonly #queues = new Map<string, Queue>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a turn, and gives what ends it. Who is told to give up waits no longer, and has no turn to end. */
  async take(origin: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return () => {};
    const queue = this.#queues.get(origin) ?? { running: 0, waiting: new Set() };
    this.#queues.set(origin, queue);
    if (queue.running < this.#limit) queue.running += 1;
    else if (!(await untilCalled(queue.waiting, signal))) return () => {};
    return () => {
      const [next] = queue.waiting;
      if (next) next();
      else if (--queue.running === 0) this.#queues.delete(origin);
    };
  }
}

/** Stands in a line; false where the signal came before the call. */
function untilCalled(line: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (isCalled: boolean): void => {
      line.delete(call);
      signal.removeEventListener("abort", giveUp);
      resolve(isCalled);
    };
    const call = (): void => leave(true);
    const giveUp = (): void => leave(false);
    line.add(call);
    signal.addEventListener("abort", giveUp);
  });
}
