import { expect } from "vitest";
import { type Answer, pathOf, startTestService, type TestServiceOptions } from "./harness.js";
import { type ExchangeOptions, exchange, expectAnswer, requestText } from "./raw-http.js";

export type Target = Awaited<ReturnType<typeof startTarget>>;

/** Starts a service without rate limits, which receives requests that no well-behaved client sends. */
export async function startTarget(options: Pick<TestServiceOptions, "limits" | "atEnd"> = {}) {
  const env = { MEDIA_LISTINGS_PER_MINUTE: "0", MEDIA_TOKENS_PER_MINUTE: "0" };
  const target = await startTestService({ env, ...options });
  /** The lines of a valid call, without a body. */
  const lines = (path = pathOf.createAccessToken): string[] => [
    `POST ${path} HTTP/1.1`,
    "Host: media.test",
    `Authorization: Bearer ${target.apiKey}`,
  ];
  /** Sends bytes; returns the answers, each checked against the contract. */
  const send = async (bytes: string | Uint8Array, options?: ExchangeOptions): Promise<Answer[]> => {
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
    /** Sends a call with further headers, and a body with its length. */
    async post(headers: readonly string[], body = "", path?: string): Promise<Answer> {
      const length = `Content-Length: ${Buffer.byteLength(body, "latin1")}`;
      const [answer] = await send(requestText([...lines(path), ...headers, length], body));
      return answer ?? expect.fail("Nothing was answered.");
    },
    /** Expects that the service still answers, and has logged no fault. */
    async expectUnharmed(): Promise<void> {
      // Retried, because the test's short timeouts may abort a valid call.
      await expect.poll(async () => (await target.call(pathOf.createAccessToken)).status).toBe(200);
      expect(target.logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
    },
  };
}
