import { describe, expect, it } from "vitest";
import { clientOf, startAcme, startApp } from "./test/acme.js";

describe("a lost answer", () => {
  it("breaks the connection after the call took effect", async () => {
    const { slack, client, ann, general } = await startAcme();
    slack.loseAnswer("chat.postMessage", { times: 2 });
    for (const text of ["one", "two"]) {
      await expect(client.chat.postMessage({ channel: general.id, text })).rejects.toMatchObject({
        code: "slack_webapi_request_error",
      });
    }
    await client.chat.postMessage({ channel: general.id, text: "three" });
    expect(ann.sees(general).map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const calls = slack.transcript.filter(({ what }) => what === "call");
    expect(calls.map(({ detail }) => [detail.status, detail.isAnswerLost])).toEqual([
      [200, true],
      [200, true],
      [200, undefined],
    ]);
  });

  it("makes the real client repeat the call", async () => {
    const { slack, team, ann, general } = await startAcme();
    const client = clientOf(slack, team.botToken, { retryConfig: { retries: 1, minTimeout: 1 } });
    slack.loseAnswer("chat.postMessage");
    await client.chat.postMessage({ channel: general.id, text: "twice" });
    expect(ann.sees(general).map(({ text }) => text)).toEqual(["twice", "twice"]);
  });

  it("can be that of a response_url", async () => {
    const { slack, ann, general } = await startAcme();
    const { last } = await startApp(slack);
    await ann.command("/media", { in: general });
    slack.loseAnswer("response_url");
    const response = fetch(last().response_url, { method: "POST", body: JSON.stringify({ text: "hi" }) });
    await expect(response).rejects.toThrow("fetch failed");
    expect(ann.sees(general)).toMatchObject([{ text: "hi" }]);
  });
});
