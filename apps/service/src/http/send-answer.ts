import type { FastifyReply, FastifyRequest } from "fastify";
import { acceptsGzip } from "./accepts-gzip.js";

/** An answer whose JSON text stands ready. */
export interface ReadyAnswer {
  readonly body: Buffer;
  /** The same, made smaller by gzip. */
  gzipped(): Promise<Buffer>;
}

// Below this a packet is not filled anyway.
const MIN_GZIP_BYTES = 1024;

/** Sends what an operation answers. */
export async function sendAnswer(answer: object, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // As the specification writes it.
  reply.header("content-type", "application/json; charset=UTF-8");
  return isReady(answer) ? sendReady(answer, request, reply) : reply.send(JSON.stringify(answer));
}

async function sendReady(answer: ReadyAnswer, { headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header("vary", "accept-encoding");
  if (answer.body.length < MIN_GZIP_BYTES || !acceptsGzip(headers["accept-encoding"])) return reply.send(answer.body);
  reply.header("content-encoding", "gzip");
  return reply.send(await answer.gzipped());
}

function isReady(answer: object): answer is ReadyAnswer {
  return "gzipped" in answer;
}
