import { expect } from "vitest";
import { type Answer, pathOf, startTestService, type TestService, type TestServiceOptions } from "./harness.js";
import { type ExchangeOptions, exchange, expectAnswer, requestText } from "./raw-http.js";

/** A service that receives requests that no well-behaved client sends. */
export interface Target extends TestService {
  /** The lines of a valid call, without a body. */
  lines(path?: string): string[];
  /** Sends bytes; returns the answers, each checked against the contract. */
  send(bytes: string | Uint8Array, options?: ExchangeOptions): Promise<Answer[]>;
  /** Sends a call with further headers, and a body with its length. */
  post(headers: readonly string[], body?: string, path?: string): Promise<Answer>;
  /** Expects that the service still answers, and has logged no fault. */
  expectUnharmed(): Promise<void>;
}

/** Starts a target without rate limits. */
export async function startTarget(options: Pick<TestServiceOptions, "limits" | "atEnd"> = {}): Promise<Target> {
  const env = { MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_TOKENS_PER_MINUTE: "0" };
  const target = await startTestService({ env, ...options });
  const lines = (path = pathOf.createAccessToken): string[] => [
    `POST ${path} HTTP/1.1`,
    "Host: media.test",
    `Authorization: Bearer ${target.apiKey}`,
  ];
  const send: Target["send"] = async (bytes, options) => {
    const answers = await exchange(target.service.url, bytes, options);
    return answers.map((answer) =>
      answer.status === 100 || options?.isHead
        ? { ...answer, body: undefined }
        : expectAnswer(answer.text.startsWith("[") ? pathOf.listSessionLogs : pathOf.createAccessToken, answer),
    );
  };
  return {
    ...target,
    lines,
    send,
    async post(headers, body = "", path) {
      const length = `Content-Length: ${Buffer.byteLength(body, "latin1")}`;
      const [answer] = await send(requestText([...lines(path), ...headers, length], body));
      if (!answer) throw new Error("Nothing was answered.");
      return answer;
    },
    async expectUnharmed() {
      // Retried, because the test's short timeouts may abort a valid call.
      await expect.poll(async () => (await target.call(pathOf.createAccessToken)).status).toBe(200);
      expect(target.logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
    },
  };
}
