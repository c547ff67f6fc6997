import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";
import type { FakeMediaOptions, Json } from "./options.js";

/** The three endpoints of the intake. */
export type Destination = "auth" | "session" | "event";

/** The response to a request. */
export type Answer =
  | { readonly status: number; readonly text: string }
  /** The reason for a missing response. It never holds the URL, which may hold the key. */
  | { readonly status?: undefined; readonly fault: string };

// Node's servers close an idle connection after 5 s. Closing it first avoids sending an event into a closing one.
const IDLE_MS = 4000;

const BROKEN_OFF = "it was broken off";

/** The client of the intake: a limited number of keep-alive connections, and no retries. */
export class Intake {
  readonly #base: string;
  readonly #options: RequestOptions;
  readonly #timeoutMs: number;
  readonly #agent: Agent;
  readonly #underWay = new Set<AbortController>();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #isBroken = false;

  /** @throws {TypeError} if the URL is not a plain http:// URL. */
  constructor({
    intakeUrl,
    intakeKey,
    keyIn,
    sockets,
    timeoutMs,
  }: Required<Pick<FakeMediaOptions, "intakeUrl" | "intakeKey" | "keyIn" | "sockets" | "timeoutMs">>) {
    const { hostname, port, pathname } = parseUrl(intakeUrl);
    this.#base = pathname.replace(/\/+$/, "") + (keyIn === "path" ? `/${encodeURIComponent(intakeKey)}` : "");
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, timeout: IDLE_MS });
    const headers = {
      "content-type": "application/json",
      ...(keyIn === "header" && { authorization: `Bearer ${intakeKey}` }),
    };
    this.#options = { hostname, port, method: "POST", headers, agent: this.#agent };
    this.#timeoutMs = timeoutMs;
    this.#free = sockets;
  }

  /**
   * Posts to an endpoint; `makeBody` is called just before the request is sent, so that its content is current.
   * Requests queue here instead of in the agent: the timeout measures the service, not our own queue.
   */
  async post(to: Destination, makeBody: () => string): Promise<Answer> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return this.#isBroken ? { fault: BROKEN_OFF } : await this.#send(`${this.#base}/${to}`, makeBody());
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  /** Aborts running and queued requests. */
  abort(): void {
    this.#isBroken = true;
    for (const one of [...this.#underWay]) one.abort(BROKEN_OFF);
    this.close();
  }

  /** Closes connections that are idle. */
  close(): void {
    this.#agent.destroy();
  }

  async #send(path: string, body: string): Promise<Answer> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(`there was none within ${this.#timeoutMs} ms`), this.#timeoutMs);
    this.#underWay.add(end);
    try {
      const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
        request({ ...this.#options, path, signal: end.signal }, resolve)
          .on("error", reject)
          .end(body);
      });
      return { status: incoming.statusCode ?? 0, text: await text(incoming) };
    } catch (error) {
      if (end.signal.aborted) return { fault: String(end.signal.reason) };
      return { fault: (error instanceof Error && error.message) || "the connection failed" };
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(end);
    }
  }
}

/** Reads a plain http:// URL; undefined if the text is not one. */
export function plainUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === "http:" && !(url.username || url.password || url.search || url.hash);
  return isPlain ? url : undefined;
}

function parseUrl(text: string): { hostname: string; port: string; pathname: string } {
  const url = plainUrl(text);
  if (!url) {
    throw new TypeError(
      "intakeUrl must be an http:// URL without user, query and fragment, such as http://127.0.0.1:8081/intake.",
    );
  }
  // node:http expects an IPv6 address without the brackets of a URL.
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { hostname, port: url.port || "80", pathname: url.pathname };
}

export function isAcknowledged(answer: Answer): answer is Extract<Answer, { status: number }> {
  return answer.status !== undefined && answer.status >= 200 && answer.status < 300;
}

/** The intake's decision on a client. */
export type Verdict =
  | { readonly allowed: true; readonly clientId: string | undefined; readonly eventMetadata: Json | undefined }
  | Refusal;

/** The client may not connect. */
export interface Refusal {
  readonly allowed: false;
  /** The reason from the intake, or the fault of its response. */
  readonly reason: string;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
}

/** Reads auth's response: a client that is not explicitly allowed is refused. */
export function readVerdict(answer: Answer): Verdict {
  const { status } = answer;
  if (status === undefined) return refuse(`No answer from the intake: ${answer.fault}.`);
  if (!isAcknowledged(answer)) return refuse(`The intake answered ${status}.`, status);
  const body = parseObject(answer.text);
  if (body?.allowed === false) {
    return refuse(typeof body.reason === "string" ? body.reason : "The intake gave no reason.", status);
  }
  if (body?.allowed !== true) return refuse("The intake's answer could not be read.", status);
  const { client_id, event_metadata } = body;
  return {
    allowed: true,
    clientId: typeof client_id === "string" ? client_id : undefined,
    eventMetadata: isObject(event_metadata) ? event_metadata : undefined,
  };
}

export function refuse(reason: string, status?: number): Refusal {
  return { allowed: false, reason, status };
}

/** Parses a JSON object; undefined if the text is not one. */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
