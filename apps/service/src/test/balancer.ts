import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** What one service made of a request. */
interface Passed {
  /** undefined where the connection broke. */
  readonly status: number | undefined;
  readonly retryAfter: string | null;
}

/** What stands before several services, and passes what comes to one and, where that does not do, to the next. */
interface Balancer {
  readonly url: string;
  /** Every try to pass something on. */
  readonly passed: Passed[];
}

const GIVES_UP_AFTER_MS = 60_000;
const PAUSE_MS = 300;
const LOOK_EVERY_MS = 50;

/** A service, and whether it is known to be away. */
interface Target {
  readonly url: string;
  back: Promise<void> | undefined;
}

/** Starts one on a free port; it is gone after the test. */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const targets = urls.map((url): Target => ({ url, back: undefined }));
  const passed: Passed[] = [];
  let turn = 0;
  /** The next one that is not known to be away, but for one that is not wanted again. */
  const next = async (but: Target | undefined): Promise<Target> => {
    for (;;) {
      const there = targets.filter(({ back }) => !back);
      const others = there.filter((target) => target !== but);
      const one = others[turn++ % others.length] ?? there[0];
      if (one) return one;
      await Promise.race(targets.map(({ back }) => back));
    }
  };
  const server = createServer(async (request, response) => {
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
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A TCP server has a port.");
  return { url: `http://127.0.0.1:${address.port}`, passed };
}

/** One looks for all. */
async function untilBack(target: Target): Promise<void> {
  do await setTimeout(LOOK_EVERY_MS);
  while (!(await pass(`${target.url}/healthz`, undefined)));
  target.back = undefined;
}

/** What was answered; undefined where the connection broke. */
async function pass(url: string, body: Buffer | undefined, authorization = "") {
  try {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(url, body ? { method: "POST", headers, body } : {});
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), text: await answer.text() };
  } catch {
    return undefined;
  }
}
