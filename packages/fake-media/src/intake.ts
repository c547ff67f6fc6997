import { Agent, request } from "node:http";
import type { Json } from "./options.js";

/** How the media server delivers. */
export interface IntakeOptions {
  intakeUrl: string;
  intakeKey: string;
  keyIn: "header" | "path";
  sockets: number;
  timeoutMs: number;
}

/** The three places that it posts to. */
export type Destination = "auth" | "session" | "event";

/** The answer to a request. */
export type Answer =
  | { readonly status: number; readonly text: string }
  /** Nothing did; the fault says why, and never holds the address, which may hold the key. */
  | { readonly status?: undefined; readonly fault: string };

/** The way to the intake: keep-alive connections, a bounded number of them, and no second try. */
export interface Intake {
  /** `makeBody` is called when the request is about to leave, so that what it says is true then. */
  post(to: Destination, makeBody: () => string): Promise<Answer>;
  /** Breaks off what is under way and waiting. */
  abort(): void;
  /** Closes connections that are idle. */
  close(): void;
}

// A service answers with a few fields; what is larger is no answer to a webhook.
const MAX_ANSWER_BYTES = 1_048_576;

// Node's servers close an idle connection after 5 s. To leave first means that no event meets a closing door.
const IDLE_MS = 4000;

/** @throws {TypeError} if the URL is not a plain http:// URL. */
export function createIntake({ intakeUrl, intakeKey, keyIn, sockets, timeoutMs }: IntakeOptions): Intake {
  const { hostname, port, pathname } = parseUrl(intakeUrl);
  const base = pathname.replace(/\/+$/, "") + (keyIn === "path" ? `/${encodeURIComponent(intakeKey)}` : "");
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, timeout: IDLE_MS });
  const fixedHeaders = {
    "content-type": "application/json",
    ...(keyIn === "header" && { authorization: `Bearer ${intakeKey}` }),
  };
  const breakOff = new Set<() => void>();
  const waiting: (() => void)[] = [];
  let free = sockets;
  let isAborted = false;

  // Requests wait here and not in the agent: the time to answer is the service's, our own queue is not its fault.
  async function post(to: Destination, makeBody: () => string): Promise<Answer> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return isAborted ? { fault: "it was broken off" } : await send(`${base}/${to}`, makeBody());
    } finally {
      passOn();
    }
  }

  function passOn(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  function send(path: string, body: string): Promise<Answer> {
    return new Promise((resolve) => {
      const headers = { ...fixedHeaders, "content-length": Buffer.byteLength(body) };
      const outgoing = request({ hostname, port, path, method: "POST", headers, agent });
      const timer = setTimeout(() => end({ fault: `there was none within ${timeoutMs} ms` }), timeoutMs);
      const breakOffThis = (): void => end({ fault: "it was broken off" });
      breakOff.add(breakOffThis);

      function end(answer: Answer): void {
        clearTimeout(timer);
        breakOff.delete(breakOffThis);
        if (answer.status === undefined) outgoing.destroy();
        resolve(answer);
      }

      outgoing.on("error", (error) => end({ fault: error.message || "the connection failed" }));
      outgoing.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) end({ fault: "it was longer than 1 MiB" });
        });
        incoming.on("error", (error) => end({ fault: error.message }));
        incoming.on("end", () => end({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      outgoing.end(body);
    });
  }

  return {
    post,
    abort() {
      isAborted = true;
      for (const end of [...breakOff]) end();
      agent.destroy();
    },
    close: () => agent.destroy(),
  };
}

function parseUrl(text: string): { hostname: string; port: string; pathname: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" || url.username || url.password || url.search || url.hash) {
    throw new TypeError(
      "intakeUrl must be an http:// URL without user, query and fragment, such as http://127.0.0.1:8081/intake.",
    );
  }
  // node:http wants an IPv6 address without the brackets that a URL has.
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { hostname, port: url.port || "80", pathname: url.pathname };
}

export function isAcknowledged(answer: Answer): answer is Extract<Answer, { status: number }> {
  return answer.status !== undefined && answer.status >= 200 && answer.status < 300;
}

/** The intake's word on a client that wants to connect. */
export type Verdict =
  | { readonly allowed: true; readonly clientId: string | undefined; readonly eventMetadata: Json | undefined }
  | Refusal;

/** The client may not connect. */
export interface Refusal {
  readonly allowed: false;
  /** The reason of the intake, or what was wrong with its answer. */
  readonly reason: string;
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
}

/** Reads the answer to auth: a client that is not plainly allowed is refused. */
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
