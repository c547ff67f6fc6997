import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { messageOf } from "@media-ops/database";
import type { Logger } from "pino";
import { MinuteLog, shownUrl } from "../log.js";
import { Refusal, type RefusalKind, toRefusal, unavailable } from "../refusal.js";
import { redact } from "../secrets/redact.js";
import { close } from "./listening.js";
import { readBody } from "./operations.js";
import { type Answer, type Call, decodePath, findRoute, pathIn, problemAnswer, type Route } from "./route.js";

/** A call that has been answered. */
export interface AnsweredCall<Caller> {
  readonly call: Call;
  readonly action: string | undefined;
  readonly caller: Caller | undefined;
  readonly status: number;
  readonly elapsedMs: number;
  readonly isHeld: boolean;
}

interface ListenerOptions<Caller> {
  readonly routes: readonly Route<Caller>[];
  readonly hint: string;
  readonly log: Logger;
  throttle?(request: IncomingMessage): Promise<void>;
  isOverloaded?(): boolean;
  onAnswered?(answered: AnsweredCall<Caller>): Promise<void>;
}

interface Exchange<Caller> {
  readonly call: Call;
  readonly response: ServerResponse;
  readonly route: Route<Caller> | undefined;
  readonly since: number;
  caller: Caller | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  isAnswered: boolean;
}

// A name or an address, and a port, as RFC 3986 writes them.
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;
const REQUEST_ID = /^[\w.-]{1,128}$/;

/** Answers the calls of a server: throttle, find the route, check the key, read the body, answer, log. */
export class Listener<Caller> {
  readonly #server: Server;
  readonly #options: ListenerOptions<Caller>;
  readonly #routes: ReadonlyMap<string, Route<Caller>>;
  readonly #answers: AnswerLog;
  /** The last call of each connection, unless it is complete and the connection is kept. */
  readonly #lastCalls = new WeakMap<Duplex, Exchange<Caller>>();
  #isStopping = false;

  /** @param server Must have just begun to listen, and not have accepted a connection. */
  constructor(server: Server, options: ListenerOptions<Caller>) {
    this.#server = server;
    this.#options = options;
    this.#routes = new Map(options.routes.map((route) => [route.path, route]));
    this.#answers = new AnswerLog(options.log);
    server.on("request", (request, response) => void this.#serve(request, response));
    // Without the next three handlers, Node would answer without a body, or end the connection without an answer.
    server.on("checkExpectation", (request, response) => void this.#serve(request, response, unknownExpectation()));
    server.on("connect", (_, socket) => refuseOnSocket(socket, onlyPost(), randomUUID()));
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.#onMalformed(error, socket));
  }

  /** Accepts no new calls, and answers those that have begun; those that take too long are aborted. */
  stop(): Promise<void> {
    this.#isStopping = true;
    return close(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse, refusal?: Refusal): Promise<void> {
    const exchange = this.#begin(request, response);
    try {
      if (refusal) throw refusal;
      this.#end(exchange, await this.#answerTo(exchange));
    } catch (error) {
      this.#refuse(exchange, toRefusal(error));
    }
  }

  #begin(request: IncomingMessage, response: ServerResponse): Exchange<Caller> {
    const url = originForm(request.url ?? "");
    const path = decodePath(pathIn(url));
    const exchange: Exchange<Caller> = {
      call: { request, id: requestIdOf(request), url, path },
      response,
      route: path === undefined ? undefined : findRoute(this.#routes, path),
      since: performance.now(),
      caller: undefined,
      headers: undefined,
      isAnswered: false,
    };
    const { socket } = request;
    this.#lastCalls.set(socket, exchange);
    // Kept any longer than needed, a call would survive several garbage collections.
    response.once("close", () => {
      const isOver = request.complete && response.shouldKeepAlive;
      if (isOver && this.#lastCalls.get(socket) === exchange) this.#lastCalls.delete(socket);
    });
    return exchange;
  }

  async #answerTo(exchange: Exchange<Caller>): Promise<Answer> {
    const { call, route } = exchange;
    const { throttle, isOverloaded, hint } = this.#options;
    const { method } = call.request;
    if (throttle) await throttle(call.request);
    if (this.#isStopping) throw unavailable("The service is shutting down. Try again in 2 seconds.", 2);
    if (isOverloaded?.()) throw unavailable("The service is overloaded. Try again in 2 seconds.", 2);
    checkHost(call.request);
    if (route?.method === "GET" && (method === "GET" || method === "HEAD")) return route.answer(call);
    if (route?.method !== "POST") throw notFound(call, hint);
    if (method !== "POST") throw onlyPost();
    const { caller, headers } = await route.gate.admit(call);
    exchange.caller = caller;
    exchange.headers = headers;
    return route.answer(call, caller, await readBody(call.request, route.maxBytes));
  }

  #end(exchange: Exchange<Caller>, { status, headers, body, isHeld = false }: Answer, refusal?: Refusal): void {
    if (exchange.isAnswered) return;
    const hasBody = status !== 204 && status !== 304;
    exchange.response
      .writeHead(status, {
        "x-request-id": exchange.call.id,
        "cache-control": "no-store",
        ...exchange.headers,
        ...headers,
        ...(hasBody && { "content-length": Buffer.byteLength(body) }),
        ...(this.#isStopping && { connection: "close" }),
      })
      .end(body);
    this.#record(exchange, { status, isHeld }, refusal);
  }

  #refuse(exchange: Exchange<Caller>, refusal: Refusal): void {
    try {
      this.#end(exchange, problemAnswer(refusal, exchange.call.id), refusal);
    } catch (error) {
      // A failure to send one answer must not end the process.
      this.#options.log.error({ err: error }, "a call could not be answered");
      exchange.response.destroy();
    }
  }

  #record(
    exchange: Exchange<Caller>,
    { status, isHeld }: { status: number; isHeld: boolean },
    refusal: Refusal | undefined,
  ): void {
    exchange.isAnswered = true;
    const { call, route, caller, since } = exchange;
    const elapsedMs = performance.now() - since;
    this.#answers.answered({ call, status, elapsedMs, refusal });
    const action = route?.method === "POST" ? route.path : undefined;
    this.#options.onAnswered?.({ call, action, caller, status, elapsedMs, isHeld }).catch((error: unknown) => {
      this.#options.log.error({ err: error }, "a call was answered, but could not be recorded");
    });
  }

  #onMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    const last = this.#lastCalls.get(socket);
    const refusal = malformedRequest(code);
    const refuse = (): void => refuseOnSocket(socket, refusal, randomUUID());
    if (code === "ECONNRESET") socket.destroy();
    else if (!last) refuse();
    else {
      const { call, response, isAnswered } = last;
      const { complete } = call.request;
      // The answer to the previous request is sent first.
      if (complete && !response.closed && (response.shouldKeepAlive || !isAnswered)) response.once("close", refuse);
      // The rest of an answered call, or bytes after the connection's last answer.
      else if (complete || isAnswered) endSocket(socket);
      else {
        refuseOnSocket(socket, refusal, call.id);
        this.#record(last, { status: refusal.status, isHeld: false }, refusal);
      }
    }
  }
}

/** A URL without scheme and host, which clients send to proxies. */
const originForm = (url: string): string => (url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]+(?=\/)/i, ""));

function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && REQUEST_ID.test(given) && redact(given) === given ? given : randomUUID();
}

function checkHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host ? HOST.test(host) : httpVersion === "1.0") return;
  const detail = host
    ? "The Host header names no host. Send one such as media.example:8080."
    : "The request has no Host header. Send one; every HTTP client does by itself.";
  throw new Refusal("bad-request", detail);
}

function notFound({ url, path }: Call, hint: string): Refusal {
  if (path !== undefined) return new Refusal("not-found", `There is nothing at ${pathIn(url)}. ${hint}`);
  return new Refusal(
    "bad-request",
    "The URL has a % that is not followed by two hex digits of UTF-8. Correct the URL.",
  );
}

const onlyPost = (): Refusal =>
  new Refusal("method-not-allowed", "This operation takes POST only.", { headers: { allow: "POST" } });

function unknownExpectation(): Refusal {
  // The connection ends with the answer, because it is unknown whether the body will be sent.
  const headers = { connection: "close" };
  return new Refusal("expectation-failed", "The Expect header is not supported. Leave it out.", { headers });
}

// Long enough for a client that is still sending to read its answer.
const LINGER_MS = 1000;

function malformedRequest(code: string | undefined): Refusal {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refusal("request-timeout", "The request took too long to arrive. Send it again, without pauses.");
    case "HPE_HEADER_OVERFLOW":
      return new Refusal("headers-too-large", "The request's headers are larger than 16 KiB. Send less.");
    default:
      return new Refusal("bad-request", "This is not a valid HTTP request. Use an HTTP client.");
  }
}

/** Writes a problem to a connection without a request to answer, and ends the connection. */
function refuseOnSocket(socket: Duplex, refusal: Refusal, requestId: string): void {
  const { status, headers, body } = problemAnswer(refusal, requestId);
  const all = {
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  endSocket(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/** Ends a connection without reading its rest, after its client had time to read the last answer. */
function endSocket(socket: Duplex, lastBytes = ""): void {
  // Node removes its error listener from a socket that it has handed over: a reset would end the whole process.
  socket.on("error", () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(lastBytes);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

interface LoggedAnswer {
  readonly call: Pick<Call, "id" | "url"> & { readonly request: Pick<IncomingMessage, "method"> };
  readonly status: number;
  readonly elapsedMs: number;
  readonly refusal?: Refusal | undefined;
}

interface Outage {
  readonly since: number;
  readonly paths: Set<string>;
  refused: number;
  lastRefusedAt: number;
  readonly line: MinuteLog;
}

// A caller must not be able to fill a disk with what it sends.
const MAX_REASON = 512;
// Calls that fail intermittently are one outage, not many.
const QUIET_MS = 5000;

/** Logs each answer in one line; of an outage, also the cause once, the refused calls once a minute, and the end. */
export class AnswerLog {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #outages = new Map<RefusalKind, Outage>();

  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  answered(answer: LoggedAnswer): void {
    const { status, refusal } = answer;
    if (status < 400) {
      if (this.#outages.size > 0) this.#noteSuccess(pathOf(answer));
      if (this.#log.level === "debug" || this.#log.level === "trace") this.#log.debug(lineOf(answer), "answered");
      return;
    }
    if (refusal?.isQuiet) return;
    const line = { ...lineOf(answer), ...(refusal && { reason: reasonOf(refusal) }) };
    const cause = status < 500 ? undefined : refusal?.cause;
    if (status < 500) this.#log.info(line, "refused");
    // Faults of the service itself are logged each time, because each may have another cause.
    else if (status === 500) this.#log.error({ ...line, err: cause }, "failed");
    else this.#log.warn(line, "failed");
    if (refusal && cause !== undefined && status !== 500) this.#noteOutage(refusal, pathOf(answer));
  }

  #noteOutage({ kind, cause, status }: Refusal, path: string): void {
    const now = this.#now();
    const known = this.#outages.get(kind);
    const line = known?.line ?? new MinuteLog(this.#now);
    const outage = known ?? { since: now, paths: new Set(), refused: 0, lastRefusedAt: now, line };
    this.#outages.set(kind, outage);
    outage.paths.add(path);
    outage.refused += 1;
    outage.lastRefusedAt = now;
    line.note((count) => {
      if (known) this.#log.error({ status, refused: count, reason: messageOf(cause) }, "calls are still refused");
      else
        this.#log.error({ err: cause, status }, "calls are refused; until this is fixed, each is logged in one line");
    });
  }

  #noteSuccess(path: string): void {
    const now = this.#now();
    for (const [kind, { paths, since, refused, lastRefusedAt }] of this.#outages) {
      if (!paths.has(path) || now - lastRefusedAt < QUIET_MS) continue;
      this.#outages.delete(kind);
      const seconds = Math.round((now - since) / 1000);
      this.#log.info({ refused, seconds }, "calls are answered again");
    }
  }
}

const pathOf = ({ call }: LoggedAnswer): string => shownUrl(call.url).split("?", 1)[0] ?? "";

const lineOf = ({ call, status, elapsedMs }: LoggedAnswer) => ({
  request_id: call.id,
  method: call.request.method,
  url: shownUrl(call.url),
  status,
  ms: Math.round(elapsedMs * 10) / 10,
});

function reasonOf({ message, cause }: Refusal): string {
  const why = cause === undefined ? "" : messageOf(cause);
  const reason = message.includes(why) ? message : `${message} Cause: ${why}`;
  // Secrets are removed first: a cut could leave a part of one that is no longer recognised.
  return redact(reason).slice(0, MAX_REASON).toWellFormed();
}
