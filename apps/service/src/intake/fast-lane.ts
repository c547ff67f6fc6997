import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { logAnswer } from "../http/answer-log.js";
import { type FastLane, requestIdOf } from "../http/create-app.js";
import { endWith, type LaneAnswer, refusalAnswer } from "../http/lane-answer.js";
import { toSendable } from "../http/send-answer.js";
import { credentialOf } from "../keys/credential.js";
import { type IntakeKind, type IntakeOptions, intakeKinds, MAX_INTAKE_BYTES, takeIn } from "./take-in.js";

/** Options of {@link createFastLane}. */
export interface FastLaneOptions extends IntakeOptions {
  readonly log: FastifyBaseLogger;
  isStopping(): boolean;
}

const ADDRESS = /^\/intake\/(?:([^/?#]+)\/)?(auth|session|event)$/;
const JSON_TYPE = /^application\/json(?:$|;)/i;
// A revoked key is good for so long on a connection that has used it, and no longer.
const KNOWN_FOR_MS = 1000;

/** A call as the media server makes it, with a key that is good. */
interface PlainCall {
  readonly kind: IntakeKind;
  readonly keyId: string;
  readonly length: number;
}

/** The key that a connection has shown, so that it need not be looked at with each call. */
interface ShownKey {
  readonly text: string;
  readonly keyId: string;
  readonly until: number;
}

/**
 * Answers the calls that the media server makes all the time without the framework, which would cost half as much again
 * as the rest of the work. What is unusual in any way is left to the framework before its body is read.
 */
export function createFastLane(options: FastLaneOptions): FastLane {
  const shown = new WeakMap<Socket, ShownKey>();
  return (request, response, { otherwise }) => {
    const call = options.isStopping() ? undefined : plainCallOf(request, options, shown);
    if (!call) return otherwise();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [first = Buffer.alloc(0)] = chunks;
      const body = chunks.length < 2 ? first : Buffer.concat(chunks, call.length);
      void answer(call, body, { request, response, options });
    });
  };
}

function plainCallOf(
  { method, url = "", headers, socket }: IncomingMessage,
  { keys }: IntakeOptions,
  shown: WeakMap<Socket, ShownKey>,
): PlainCall | undefined {
  const [, key, last] = ADDRESS.exec(url) ?? [];
  const kind = intakeKinds.find((known) => known === last);
  if (method !== "POST" || !kind || !headers.host || !JSON_TYPE.test(headers["content-type"] ?? "")) return undefined;
  const length = Number(headers["content-length"] ?? Number.NaN);
  if (!(length <= MAX_INTAKE_BYTES) || headers["content-encoding"] !== undefined) return undefined;

  const text = key ? `Bearer ${key}` : (headers.authorization ?? "");
  const known = shown.get(socket);
  if (known?.text === text && performance.now() < known.until) return { kind, keyId: known.keyId, length };
  const credential = credentialOf(text, "mi");
  if (!credential || !keys.isKnownGood(credential)) return undefined;
  const { keyId } = credential;
  shown.set(socket, { text, keyId, until: performance.now() + KNOWN_FOR_MS });
  return { kind, keyId, length };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly options: FastLaneOptions;
}

async function answer(
  { kind, keyId }: PlainCall,
  body: Buffer,
  { request, response, options }: Exchange,
): Promise<void> {
  const since = performance.now();
  const requestId = requestIdOf(request);
  let given: LaneAnswer;
  try {
    const { headers, body: text } = await toSendable(await takeIn({ kind, body, keyId }, options), undefined);
    given = { status: 200, headers, body: text };
  } catch (error) {
    given = refusalAnswer(error, { requestId, bodyLimit: MAX_INTAKE_BYTES, log: options.log });
  }
  endWith(response, given, { requestId, isStopping: options.isStopping() });
  const { status } = given;
  const ms = performance.now() - since;
  logAnswer(options.log, { request_id: requestId, method: request.method, url: `/intake/${kind}`, status, ms });
}
