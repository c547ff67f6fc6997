import { describe, expect, it } from "vitest";
import { redact, redactBody, redactKeys } from "./index.js";

describe("a request or response body", () => {
  it.each([
    ["an access token that is not a JWT", { metadata: { access_token: "horse" } }],
    ["an access token with quotes and backslashes", { access_token: '"\\" horse' }],
    ["a password", { metadata: { user: "ann", password: "horse" } }],
    ["a secret", { secret: "horse" }],
    ["a token", { auth_metadata: [{ token: "horse" }] }],
    ["a name in another case", { ACCESS_TOKEN: "horse" }],
    ["a secret in JSON within JSON", { payload: JSON.stringify({ token: "horse" }) }],
    ["a secret that is recognized in any position", { text: "xoxb-12-horse" }],
  ])("is stored without %s", (_, body) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2), JSON.stringify(body).slice(0, -3)]) {
      expect(redactBody(text)).not.toContain("hors");
      expect(redactBody(text)).toContain("[redacted]");
    }
  });

  it.each([
    ["valid", "}"],
    ["cut off", ""],
  ])("is stored without a secret of which letters are escaped, if it is %s", (_, end) => {
    expect(redactBody(`{"note":"xo\\u0078b\\u002d12-hor\\u0073e9","a":1${end}`)).not.toMatch(/hor/);
  });

  it("is stored as JSON, with all other content", () => {
    const body = { id: "1", metadata: { access_token: 'a"b', name: "ann" }, note: "a token: lobby" };
    expect(JSON.parse(redactBody(JSON.stringify(body)))).toEqual({
      ...body,
      metadata: { access_token: "[redacted]", name: "ann" },
    });
  });

  it("is stored unchanged if it holds no secret", () => {
    const text = '{ "id": 12345678901234567890, "note": "a token" }';
    expect(redactBody(text)).toBe(text);
  });

  it.each([
    ...['"access_token":"', '"token":"a', '\\"token\\":\\"a', '"token":a', "hooks.slack.com/a/a"].map((start) => [
      start,
      "a",
    ]),
    ...['"token":"', '\\"token\\":\\"'].flatMap((start) => ["\\a", "\\", '\\\\"', " "].map((piece) => [start, piece])),
    ...["eyJ", "eyJ.", "mo_a_", '"token"', "\\", ".", "[", '{"a":', '"token":', "hooks.slack.com/a/"].map((piece) => [
      "",
      piece,
    ]),
  ] as [string, string][])("is redacted in linear time, and never fails: %j and then %j", (start, piece) => {
    const megabytes = start === "" ? 1 : 4;
    const text = start + piece.repeat((megabytes * 2 ** 20) / piece.length);
    const before = process.cpuUsage();
    redactBody(text);
    redactBody(JSON.stringify({ text }));
    // CPU time: other work on the machine does not count.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
  });
});

it.each([redactBody, redact, redactKeys])(
  "%o never fails: with too little stack left, it hides all of the text",
  (hide) => {
    const results: string[] = [];
    let isLate = false;
    // Called on the way back from where the stack ended: first, even the call itself has no room.
    const descend = (): void => {
      try {
        descend();
      } catch {}
      if (results.length > 500) return;
      try {
        results.push(hide('{"n":1} xoxb-1-horse9 mo_0123456789abcdef_Correct-Horse-Battery0 b%41d'));
      } catch {
        isLate ||= results.length > 0;
      }
    };
    descend();
    expect(isLate).toBe(false);
    expect(results[0]).toBe("[redacted]");
    expect(results.at(-1)).toContain("mo_0123456789abcdef_[redacted]");
    expect(results.join()).not.toContain("Battery");
  },
);
