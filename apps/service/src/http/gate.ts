import type { FastifyReply } from "fastify";
import { credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import type { Gate } from "./operations.js";
import type { Allowance, RateLimiter } from "./rate-limiter.js";
import { Refusal } from "./refusal.js";

/** What a gate needs. */
export interface GateOptions {
  keys: KeyRing;
  /** Counts the calls of each key. */
  limiter: RateLimiter;
  /** What these calls are called, such as "token". */
  what: string;
  now(): number;
}

/** Lets through whoever has a good key and has not called too often. */
export function createGate({ keys, limiter, what, now }: GateOptions): Gate {
  return async ({ headers }, reply) => {
    const credential = credentialOf(headers.authorization, "mo");
    const key = credential && (await keys.authenticate(credential));
    if (!key) throw unauthorized();
    const allowance = limiter.take(key.keyId, now());
    if (allowance) checkAllowance(allowance, reply, what);
    return { key, credential };
  };
}

function unauthorized(): Refusal {
  const detail =
    'The API key is missing, unknown or revoked. Send "Authorization: Bearer", a space and the project\'s API key.';
  return new Refusal("unauthorized", detail, { headers: { "www-authenticate": "Bearer" } });
}

function checkAllowance(
  { allowed, limit, remaining, resetSeconds }: Allowance,
  reply: FastifyReply,
  what: string,
): void {
  reply.headers({
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
  });
  if (allowed) return;
  const wait = resetSeconds === 1 ? "1 second" : `${resetSeconds} seconds`;
  const detail = `This API key has made ${limit} ${what} calls within a minute. Try again in ${wait}.`;
  throw new Refusal("too-many-requests", detail, { headers: { "retry-after": String(resetSeconds) } });
}
