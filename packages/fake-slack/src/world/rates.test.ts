import { WebAPIRateLimitedError } from "@slack/web-api";
import { describe, expect, it } from "vitest";
import type { RateLimits } from "../index.js";
import { clientOf, startAcme } from "../test/acme.js";

/** A workspace with limits, whose time only moves when the test says so. */
async function startLimited(limits: RateLimits = {}) {
  const acme = await startAcme();
  let elapsed = 0;
  acme.slack.enforceLimits({ elapsedMs: () => elapsed, ...limits });
  const wait = (ms: number): void => {
    elapsed += ms;
  };
  /** "ok", or the seconds of `Retry-After`. */
  const outcome = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => "ok",
      (error: unknown) => (error instanceof WebAPIRateLimitedError ? error.retryAfter : error),
    );
  const post = (more: object = {}) =>
    outcome(acme.client.chat.postMessage({ channel: acme.general.id, text: "x", ...more }));
  return { ...acme, wait, outcome, post };
}

describe("chat.postMessage", () => {
  it("accepts one message a second in each conversation", async () => {
    const { team, ann, general, wait, post } = await startLimited();
    const random = team.addChannel({ name: "random", withBot: true });
    expect(await post()).toBe("ok");
    expect(await post()).toBe(1);
    expect(await post({ channel: random.id })).toBe("ok");
    wait(1000);
    expect(await post()).toBe("ok");
    expect(ann.sees(general)).toHaveLength(2);
  });

  it("counts replies, and the name of a channel or a person like its id", async () => {
    const { ann, general, wait, post } = await startLimited();
    const message = await ann.says("x", { in: general });
    expect(await post({ thread_ts: message.ts })).toBe("ok");
    expect(await post({ thread_ts: message.ts })).toBe(1);
    wait(1000);
    expect(await post({ channel: "#general" })).toBe("ok");
    expect(await post()).toBe(1);
    expect(await post({ channel: ann.id })).toBe("ok");
    expect(await post({ channel: ann.directPlace.id })).toBe(1);
  });

  it("refuses again before Retry-After is over, without a longer wait", async () => {
    const { wait, post } = await startLimited();
    expect(await post()).toBe("ok");
    wait(800);
    expect(await post()).toBe(1);
    wait(500);
    expect(await post()).toBe(1);
    wait(500);
    expect(await post()).toBe("ok");
  });

  it("accepts a burst, if the test chooses one", async () => {
    const { wait, post } = await startLimited({ burst: 3 });
    const answers = [await post(), await post(), await post()];
    expect(answers).toEqual(["ok", "ok", "ok"]);
    expect(await post()).toBe(3);
    wait(3000);
    expect(await post()).toBe("ok");
  });

  it("has 429 in the transcript for each refused call", async () => {
    const { slack, post } = await startLimited();
    for (const _ of [1, 2, 3]) await post();
    const calls = slack.transcript.filter(({ name }) => name === "chat.postMessage");
    expect(calls.map(({ detail }) => detail.status)).toEqual([200, 429, 429]);
    expect(calls[1]?.detail.answer).toEqual({ ok: false, error: "ratelimited" });
  });

  it("accepts the next message of a real client that waits as long as it was told", async () => {
    const { slack, team, ann, general } = await startAcme();
    slack.enforceLimits();
    const client = clientOf(slack, team.botToken, { rejectRateLimitedCalls: false, retryConfig: { retries: 1 } });
    for (const text of ["one", "two"]) await client.chat.postMessage({ channel: general.id, text });
    expect(ann.sees(general).map(({ text }) => text)).toEqual(["one", "two"]);
    const posts = slack.transcript.filter(({ name }) => name === "chat.postMessage");
    expect(posts.map(({ detail }) => detail.status)).toEqual([200, 429, 200]);
  });
});

describe("chat.update", () => {
  it("accepts 50 calls a minute in each workspace", async () => {
    const { slack, client, general, wait, outcome } = await startLimited();
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "x" });
    const update = () => outcome(client.chat.update({ channel: general.id, ts, text: "y" }));
    for (let count = 0; count < 50; count += 1) expect(await update()).toBe("ok");
    wait(20_000);
    expect(await update()).toBe(40);
    const other = slack.addWorkspace({ name: "other" });
    const place = other.addChannel({ name: "general", withBot: true });
    const elsewhere = clientOf(slack, other.botToken);
    const posted = await elsewhere.chat.postMessage({ channel: place.id, text: "x" });
    expect(await elsewhere.chat.update({ channel: place.id, ts: posted.ts ?? "", text: "y" })).toMatchObject({
      ok: true,
    });
    wait(40_000);
    expect(await update()).toBe("ok");
  });
});
