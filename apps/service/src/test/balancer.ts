import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";

const GIVES_UP_AFTER_MS = 60_000;
const PAUSE_MS = 300;
const LOOK_EVERY_MS = 50;

interface Target {
  readonly url: string;
  back: Promise<void> | undefined;
}

/** Starts a load balancer, until the test ends: it forwards a request to a service, and if that fails, to the next. */
export async function startBalancer(urls: readonly string[]) {
  const targets = urls.map((url): Target => ({ url, back: undefined }));
  /** The answer to every attempt to forward a request, without a status if the connection broke. */
  const passed: { readonly status: number | undefined; readonly retryAfter: string | null }[] = [];
  let turn = 0;
  /** The next service that is not known to be unavailable, if possible a different one. */
  const next = async (but: Target | undefined): Promise<Target> => {
    for (;;) {
      const there = targets.filter(({ back }) => !back);
      const others = there.filter((target) => target !== but);
      const one = others[turn++ % others.length] ?? there[0];
      if (one) return one;
      await Promise.race(targets.map(({ back }) => back));
    }
  };
  const { url, close } = await serveHttp(async (request, response) => {
    const body = await buffer(request);
    const { url: path = "", headers } = request;
    const giveUpAt = performance.now() + GIVES_UP_AFTER_MS;
    for (let target: Target | undefined; performance.now() < giveUpAt; ) {
      target = await next(target);
      const answer = await pass(target.url + path, body, headers.authorization);
      const { status, retryAfter = null } = answer ?? {};
      passed.push({ status, retryAfter });
      if (answer && answer.status < 300) {
        response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.text);
        return;
      }
      if (answer) await setTimeout(PAUSE_MS);
      else target.back ??= untilBack(target);
    }
    response.writeHead(504).end();
  });
  onTestFinished(close);
  return { url, passed };
}

/** Polls a service once for all requests that wait for it. */
async function untilBack(target: Target): Promise<void> {
  do await setTimeout(LOOK_EVERY_MS);
  while (!(await pass(`${target.url}/healthz`, undefined)));
  target.back = undefined;
}

async function pass(url: string, body: Buffer | undefined, authorization = "") {
  try {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(url, body ? { method: "POST", headers, body } : {});
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
  } catch {
    return undefined;
  }
}
