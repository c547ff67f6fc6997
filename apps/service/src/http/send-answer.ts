import type { FastifyReply, FastifyRequest } from "fastify";
import type { ListedLog } from "../logs/log-store.js";
import { acceptsGzip } from "./accepts-gzip.js";

// Below this a packet is not filled anyway.
const MIN_GZIP_BYTES = 1024;

/** Sends what an operation answers. */
export async function sendAnswer(answer: object, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  // As the specification writes it.
  reply.header("content-type", "application/json; charset=UTF-8");
  return isListed(answer) ? sendListed(answer, request, reply) : reply.send(JSON.stringify(answer));
}

async function sendListed(log: ListedLog, { headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header("vary", "accept-encoding");
  if (log.body.length < MIN_GZIP_BYTES || !acceptsGzip(headers["accept-encoding"])) return reply.send(log.body);
  reply.header("content-encoding", "gzip");
  return reply.send(await log.gzipped());
}

function isListed(answer: object): answer is ListedLog {
  return "gzipped" in answer;
}
