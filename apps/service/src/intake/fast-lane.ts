import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { logAnswer } from "../http/answer-log.js";
import { collectBody } from "../http/collect-body.js";
import { keepConnection } from "../http/connection-limits.js";
import { type FastLane, requestIdOf } from "../http/create-app.js";
import { endWith, failedToAnswer, type LaneAnswer, refusalAnswer } from "../http/lane-answer.js";
import { JSON_TYPE } from "../http/send-answer.js";
import { credentialOf } from "../keys/credential.js";
import { type IntakeKind, type IntakeOptions, intakeKinds, MAX_INTAKE_BYTES, takeIn } from "./take-in.js";

/** Options of {@link createFastLane}. */
export interface FastLaneOptions extends IntakeOptions {
  readonly log: FastifyBaseLogger;
  isStopping(): boolean;
}

const ADDRESS = /^\/intake\/(?:([^/?#]+)\/)?(auth|session|event)$/;
const SENT_TYPE = /^application\/json(?:$|;)/i;
// A revoked key is good for so long on a connection that has used it, and no longer.
const KNOWN_FOR_MS = 1000;

/** Where a call goes, and with which key. */
interface Address {
  readonly kind: IntakeKind;
  readonly keyId: string;
}

/** What a connection's calls say, with a key that is good: what comes again need not be looked at again. */
interface KnownCall extends Address {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly until: number;
}

/**
 * Answers the calls that the media server makes all the time without the framework, which would cost half as much again
 * as the rest of the work. What is unusual in any way is left to the framework before its body is read.
 */
export function createFastLane(options: FastLaneOptions): FastLane {
  const known = new WeakMap<Socket, KnownCall>();
  return (request, response, { otherwise }) => {
    const call = options.isStopping() || !isPlain(request) ? undefined : addressOf(request, options, known);
    if (!call) return otherwise();
    collectBody(request, (body) => {
      answer(call, body, { request, response, options }).catch((error) => failedToAnswer(error, response, options.log));
    });
  };
}

/** Whether the body comes as the media server sends it. */
function isPlain({ method, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? Number.NaN);
  return method === "POST" && !!headers.host && length <= MAX_INTAKE_BYTES && headers["content-encoding"] === undefined;
}

function addressOf(
  { url = "", headers, socket }: IncomingMessage,
  { keys }: IntakeOptions,
  knownCalls: WeakMap<Socket, KnownCall>,
): Address | undefined {
  const { authorization, "content-type": contentType } = headers;
  const known = knownCalls.get(socket);
  if (
    known?.url === url &&
    known.authorization === authorization &&
    known.contentType === contentType &&
    performance.now() < known.until
  ) {
    return known;
  }
  const [, key, last] = ADDRESS.exec(url) ?? [];
  const kind = intakeKinds.find((one) => one === last);
  if (!kind || !SENT_TYPE.test(contentType ?? "")) return undefined;
  const credential = credentialOf(key ? `Bearer ${key}` : authorization, "mi");
  if (!credential || !keys.isKnownGood(credential)) return undefined;
  const { keyId } = credential;
  const call = { url, authorization, contentType, kind, keyId, until: performance.now() + KNOWN_FOR_MS };
  knownCalls.set(socket, call);
  keepConnection(socket);
  return call;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: FastLaneOptions;
}

async function answer({ kind, keyId }: Address, body: Buffer, { request, response, options }: Exchange): Promise<void> {
  const since = performance.now();
  const requestId = requestIdOf(request);
  let given: LaneAnswer;
  try {
    const told = await takeIn({ kind, body, keyId }, options);
    given = { status: 200, headers: JSON_TYPE, body: JSON.stringify(told) };
  } catch (error) {
    given = refusalAnswer(error, { requestId, bodyLimit: MAX_INTAKE_BYTES, log: options.log });
  }
  endWith(response, given, { requestId, isStopping: options.isStopping() });
  const { status } = given;
  const ms = performance.now() - since;
  logAnswer(options.log, { request_id: requestId, method: request.method, url: `/intake/${kind}`, status, ms });
}
