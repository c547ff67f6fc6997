import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";
import { LRUCache } from "lru-cache";
import type { Refusal } from "../refusal.js";

/** A call, as its headers describe it. */
export interface Call {
  readonly request: IncomingMessage;
  /** The caller's own request id if it is well formed, otherwise a new one. */
  readonly id: string;
  readonly url: string;
  readonly path: string | undefined;
}

/** An answer as it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
  /** Whether the call was held until something happened: how long it took says nothing about the service. */
  readonly isHeld?: boolean;
}

/** The caller of an admitted call. */
export interface Admission<Caller> {
  readonly caller: Caller;
  /** Headers of the answer, whether the call succeeds or not. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Admits or refuses callers before the body is read. */
export interface Gate<Caller> {
  /** @throws {Refusal} if the key is not good, or has no calls left. */
  admit(call: Call): Promise<Admission<Caller>>;
}

/** A resource that is read with GET or HEAD, without a key. */
export interface Page {
  readonly method: "GET";
  readonly path: string;
  answer(call: Call): Promise<Answer>;
}

/** An action that is called with POST and a key. */
export interface Action<Caller> {
  readonly method: "POST";
  /** The segment before the last may be `:key`, which matches any text. */
  readonly path: string;
  readonly maxBytes: number;
  readonly gate: Gate<Caller>;
  /** Receives a body that is JSON by its headers, or has no bytes. */
  answer(call: Call, caller: Caller, body: Buffer): Promise<Answer>;
}

/** A page or an action of a listener, with its path. */
export type Route<Caller> = Page | Action<Caller>;

/** The route of a path, regardless of the method. */
export function findRoute<Caller>(routes: ReadonlyMap<string, Route<Caller>>, path: string): Route<Caller> | undefined {
  return routes.get(path) ?? routes.get(path.replace(/[^/]+(?=\/[^/]*$)/, ":key"));
}

/** The part of a URL before its query. */
export function pathIn(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** A path without escapes; undefined if one of them is malformed. */
export function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

// As the specification writes it.
const JSON_TYPE = { "content-type": "application/json; charset=UTF-8" };

/** Answers with a value as JSON. */
export const jsonAnswer = (value: object): Answer => ({ status: 200, headers: JSON_TYPE, body: JSON.stringify(value) });

/** Answers with a problem. */
export function problemAnswer(refusal: Refusal, requestId: string): Answer {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, "content-type": "application/problem+json; charset=utf-8" },
    body: JSON.stringify(refusal.toProblem(requestId)),
  };
}

/** Runs work with a signal that is aborted if the caller leaves. */
export async function whileConnected<Result>(
  { socket }: IncomingMessage,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const caller = new AbortController();
  const onClose = (): void => caller.abort();
  socket.once("close", onClose);
  try {
    return await work(caller.signal);
  } finally {
    socket.off("close", onClose);
  }
}

/** A JSON text that is ready to be sent. */
export interface ReadyAnswer {
  readonly body: Buffer;
  gzipped(): Promise<Buffer>;
}

// Below this size, the answer fits one packet anyway.
const MIN_GZIP_BYTES = 1024;
const PLAIN = { ...JSON_TYPE, vary: "accept-encoding" };
const GZIPPED = { ...PLAIN, "content-encoding": "gzip" };

/** Sends a prepared text, compressed if the caller accepts that. */
export async function readyAnswer(ready: ReadyAnswer, acceptEncoding: string | string[] | undefined): Promise<Answer> {
  const isPlain = ready.body.length < MIN_GZIP_BYTES || !acceptsGzip(acceptEncoding);
  if (isPlain) return { status: 200, headers: PLAIN, body: ready.body };
  return { status: 200, headers: GZIPPED, body: await ready.gzipped() };
}

// Below this size, compressing takes less time than handing it to another thread and back.
const MIN_THREAD_BYTES = 192 * 1024;

/** Compresses the text of entries. */
export async function gzipBody(body: Buffer): Promise<Buffer> {
  // Entries resemble each other: the fastest level compresses them almost as well as a slower one.
  const options = { level: constants.Z_BEST_SPEED };
  return body.length < MIN_THREAD_BYTES ? gzipSync(body, options) : promisify(gzip)(body, options);
}

// Clients send few different values.
const known = new LRUCache<string, boolean>({ max: 100, memoMethod: readAcceptEncoding });

/** Whether `Accept-Encoding` allows gzip: by its name or else by `*`, with a weight above 0. */
export function acceptsGzip(acceptEncoding: string | string[] = ""): boolean {
  return known.memo(String(acceptEncoding));
}

function readAcceptEncoding(acceptEncoding: string): boolean {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [, coding = "", weight = "1"] = /^\s*([^\s;]*)(?:.*;\s*q\s*=\s*([\d.]+)\s*$)?/.exec(part) ?? [];
    weights.set(coding, Number(weight));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
