import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptsGzip } from "./accepts-gzip.js";

/** An answer whose JSON text stands ready. */
export interface ReadyAnswer {
  readonly body: Buffer;
  /** The same, made smaller by gzip. */
  gzipped(): Promise<Buffer>;
}

/** What an operation answers, as it is sent. */
export interface Sendable {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

// Below this a packet is not filled anyway.
const MIN_GZIP_BYTES = 1024;

/** The header of every answer that is no refusal, as the specification writes it. */
export const JSON_TYPE = { "content-type": "application/json; charset=UTF-8" };
const PLAIN = { ...JSON_TYPE, vary: "accept-encoding" };
const GZIPPED = { ...PLAIN, "content-encoding": "gzip" };

/** What an operation answers, as a caller takes it. */
export async function toSendable(answer: object, acceptEncoding: string | string[] | undefined): Promise<Sendable> {
  if (!isReady(answer)) return { headers: JSON_TYPE, body: JSON.stringify(answer) };
  if (answer.body.length < MIN_GZIP_BYTES || !acceptsGzip(acceptEncoding)) return { headers: PLAIN, body: answer.body };
  return { headers: GZIPPED, body: await answer.gzipped() };
}

/** Sends what an operation answers. */
export async function sendAnswer(answer: object, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { headers, body } = await toSendable(answer, request.headers["accept-encoding"]);
  return reply.headers(headers).send(body);
}

function isReady(answer: object): answer is ReadyAnswer {
  return "gzipped" in answer;
}
