import type { Client } from "openapi-fetch";
import type { MediaResponse } from "./answer.js";
import { pause } from "./deadline.js";
import type { paths } from "./generated/media.js";
import type { OperationPath } from "./operations.js";
import { type CallOptions, checkCall, type MediaClientOptions } from "./options.js";
import { isRetryable, retryDelayMs } from "./retry.js";
import { type Call, createWire } from "./wire.js";

// A full answer of 1000 entries has some 0.3 MB; this leaves room for entries that are far longer than ours.
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;

/** A promise of the data, with a way to ask for status, headers and request id as well. */
export interface MediaPromise<T> extends Promise<T> {
  /** @example const { data, requestId } = await client.logs.api().withResponse(); */
  withResponse(): Promise<MediaResponse<T>>;
}

/** Sends one operation, with its retries. */
export type Send = <T>(
  path: () => OperationPath,
  isData: Call<T>["isData"],
  body: object,
  options: CallOptions,
) => MediaPromise<T>;

export function createTransport(options: MediaClientOptions): { raw: Client<paths>; send: Send } {
  const { raw, attempt: tryOnce } = createWire(options);

  /** Everything that is wrong with a call rejects its promise, a wrong path included. */
  async function callWithRetries<T>(
    path: () => OperationPath,
    given: Omit<Call<T>, "path">,
    maxRetries: number,
  ): Promise<MediaResponse<T>> {
    const call = { ...given, path: path() };
    checkCall(call, maxRetries);
    for (let attempt = 1; ; attempt++) {
      call.signal?.throwIfAborted();
      try {
        return await tryOnce(call, attempt);
      } catch (error) {
        if (attempt > maxRetries || !isRetryable(error)) throw error;
        const delay = retryDelayMs(attempt, error, Math.random);
        options.logger?.warn?.(`${error.message} (next try in ${Math.round(delay)} ms)`);
        await pause(delay, call.signal);
      }
    }
  }

  return {
    raw,
    send(
      path,
      isData,
      body,
      {
        headers = {},
        signal,
        timeoutMs = options.timeoutMs ?? 30_000,
        maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
        maxRetries = options.maxRetries ?? 2,
      },
    ) {
      const call = { isData, body, headers, signal, timeoutMs, maxResponseBytes };
      return withResponse(callWithRetries(path, call, maxRetries));
    },
  };
}

function withResponse<T>(answer: Promise<MediaResponse<T>>): MediaPromise<T> {
  const data = answer.then((response) => response.data);
  return Object.assign(data, {
    withResponse() {
      // Whoever takes the whole answer sees its failure there; the promise of the data must not report it again.
      data.catch(() => {});
      return answer;
    },
  });
}
