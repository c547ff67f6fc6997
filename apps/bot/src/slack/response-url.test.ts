import { describe, expect, it } from "vitest";
import { startBadService } from "../test/bad-service.js";
import { postToResponseUrl } from "./response-url.js";

type Answer = readonly [status: number, body: string, headers?: Record<string, string>];

/** An address that answers so, one after another, and how long was waited between. */
async function addressThatAnswers(...answers: Answer[]) {
  let tries = 0;
  const url = await startBadService((_request, response) => {
    const [status, body, headers = {}] = answers[tries++] ?? [200, "ok"];
    response.writeHead(status, headers).end(body);
  });
  const pauses: number[] = [];
  const pause = async (ms: number) => pauses.push(ms);
  return { post: () => postToResponseUrl({ text: "x" }, { url: `${url}/planted`, pause }), pauses, tries: () => tries };
}

describe("an answer", () => {
  it.each(["ok", '{"ok":true}', ""])("is there where Slack says %j", async (body) => {
    const { post, tries } = await addressThatAnswers([200, body]);
    await post();
    expect(tries()).toBe(1);
  });

  it.each([
    [200, "invalid_blocks", "invalid_blocks"],
    [200, '{"ok":false,"error":"invalid_blocks"}', "invalid_blocks"],
    [404, "used_url", "used_url"],
    [404, "<p>gone</p>", "status 404"],
  ])("that Slack refuses with %i %s is refused at once", async (status, body, code) => {
    const { post, tries } = await addressThatAnswers([status, body]);
    await expect(post()).rejects.toMatchObject({ name: "SlackRefusal", code });
    expect(tries()).toBe(1);
  });

  it("waits as long as Slack says, and no longer than a minute", async () => {
    const { post, pauses } = await addressThatAnswers(
      [429, "", { "retry-after": "7" }],
      [429, "", { "retry-after": "3600" }],
      [429, "", {}],
    );
    await post();
    expect(pauses).toEqual([7000, 60_000, 1000]);
  });

  it("is tried three times more where Slack is broken", async () => {
    const broken = [503, ""] as const;
    const { post, pauses } = await addressThatAnswers(broken, broken, broken, broken);
    await expect(post()).rejects.toMatchObject({ code: "status 503" });
    expect(pauses).toEqual([500, 2000, 5000]);
  });

  it("that does not reach Slack does not name the address, which is a secret", async () => {
    const pause = async () => {};
    const sent = postToResponseUrl({ text: "x" }, { url: "http://127.0.0.1:1/planted", pause });
    const error = await sent.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ message: "Slack's response address was not reached." });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("planted");
  });
});
