import { LRUCache } from "lru-cache";
import type { Refusal } from "../refusal.js";
import type { Answer } from "./route.js";

/** An answer whose JSON text is ready. */
export interface ReadyAnswer {
  readonly body: Buffer;
  /** The same text, compressed. */
  gzipped(): Promise<Buffer>;
}

// Below this a packet is not filled anyway.
const MIN_GZIP_BYTES = 1024;

// As the specification writes it.
const JSON_TYPE = { "content-type": "application/json; charset=UTF-8" };
const PLAIN = { ...JSON_TYPE, vary: "accept-encoding" };
const GZIPPED = { ...PLAIN, "content-encoding": "gzip" };

/** Answers with a value as JSON. */
export const jsonAnswer = (value: object): Answer => ({ status: 200, headers: JSON_TYPE, body: JSON.stringify(value) });

/** Answers with a text that is ready, compressed if the caller accepts that. */
export async function readyAnswer(ready: ReadyAnswer, acceptEncoding: string | string[] | undefined): Promise<Answer> {
  const isPlain = ready.body.length < MIN_GZIP_BYTES || !acceptsGzip(acceptEncoding);
  if (isPlain) return { status: 200, headers: PLAIN, body: ready.body };
  return { status: 200, headers: GZIPPED, body: await ready.gzipped() };
}

/** Answers with a problem. */
export function problemAnswer(refusal: Refusal, requestId: string): Answer {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, "content-type": "application/problem+json; charset=utf-8" },
    body: JSON.stringify(refusal.toProblem(requestId)),
  };
}

// Clients send few different values.
const known = new LRUCache<string, boolean>({ max: 100, memoMethod: readAcceptEncoding });

/** Whether `Accept-Encoding` allows gzip: by its name or else by `*`, with a weight above 0. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return acceptEncoding !== undefined && known.memo(String(acceptEncoding));
}

function readAcceptEncoding(acceptEncoding: string): boolean {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = part.toLowerCase().split(";");
    const [, weight = "1"] =
      parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)).find(Boolean) ?? [];
    weights.set(coding.trim(), Number(weight));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
