import fc from "fast-check";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { redact, redactBody, redactKeys } from "./index.js";

const keyId = "0123456789abcdef";
const secret = "abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMN_0";
const apiKey = `mo_${keyId}_${secret}`;
const intakeKey = `mi_${keyId}_${secret}`;
const token = await new SignJWT({ jti: "x" }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));
const horse = "CorrectHorse8battery";
const webhookSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/sjGiuRTn4s=";
const hook = `https://hooks.slack.com/commands/T0123/456/${horse}`;
// JSON with escaped slashes.
const inSlack = JSON.stringify({ url: hook }).replaceAll("/", "\\/");

describe("redacted text", () => {
  it.each([
    ["alone", apiKey],
    ["in a URL", `https://x.example/?key=${apiKey}&a=1`],
    ["in a path", `/intake/${apiKey}/event`],
    ["in an encoded URL", apiKey.replaceAll("_", "%5F")],
    ["between letters", `xx${apiKey}`],
    ["in JSON within JSON", JSON.stringify({ body: JSON.stringify({ key: apiKey }) })],
    ["in a header", `Authorization: Bearer ${apiKey}`],
    ["twice", `${apiKey} ${apiKey}`],
  ])("holds no API key %s, but its id", (_, text) => {
    for (const without of [redact(text), redactKeys(text)]) {
      expect(without).not.toContain(secret);
      expect(without).toContain(keyId);
    }
  });

  it.each([
    ["alone", webhookSecret, "whsec_[redacted]"],
    ["in JSON", JSON.stringify({ secret: webhookSecret, n: 1 }), '{"secret":"whsec_[redacted]","n":1}'],
    ["in JSON with escaped slashes", `"${webhookSecret.replaceAll("/", "\\/")}"`, '"whsec_[redacted]"'],
    ["in a form", `secret=${encodeURIComponent(webhookSecret)}&n=1`, "secret=whsec_[redacted]&n=1"],
    ["of other services, in base64url", `whsec_${secret}, and`, "whsec_[redacted], and"],
    ["truncated", `${webhookSecret.slice(0, 30)}…`, "whsec_[redacted]…"],
  ])("holds no webhook secret: %s", (_, text, without) => {
    expect(redact(text)).toBe(without);
    expect(redactKeys(text)).toBe(without);
  });

  it("holds no token that is truncated within its claims", () => {
    const [header = "", claims = ""] = token.split(".");
    expect(redact(`got ${header}.${claims.slice(0, 8)}`)).toBe("got [redacted token]");
    expect(redact(`keyJson.x.${token}`)).toBe("keyJson.x.[redacted token]");
  });

  it("holds no intake key and no token", () => {
    for (const text of [redact, redactKeys].map((hide) => hide(`key ${intakeKey}, token ${token}.`))) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(token.split(".")[1]);
      expect(text).not.toContain(token.split(".")[2]);
    }
  });

  it.each([
    ["of a bot", `xoxb-123-456-${horse}`, "xoxb-[redacted]"],
    ["of a user", `xoxp-123-456-789-${horse}`, "xoxp-[redacted]"],
    ["that is rotated", `xoxe.xoxb-1-${horse}`, "xoxe.[redacted]"],
    ["that refreshes others", `xoxe-1-${horse}`, "xoxe-[redacted]"],
    ["with dots", `xoxb-1.2..${horse}`, "xoxb-[redacted]"],
    ["of an app", `xapp-1-A012-345-${horse}`, "xapp-[redacted]"],
    ["of an app after an escaped line end", `\\nxapp-1-A012-345-${horse}`, "\\nxapp-[redacted]"],
    ["of a configuration", `xoxc-${horse}`, "xoxc-[redacted]"],
    ["of a session", `xoxs-${horse}`, "xoxs-[redacted]"],
    ["in a form", `token=xoxb-1-${horse}&team=T1`, "token=xoxb-[redacted]&team=T1"],
    ["between letters", `xxxoxb-1-${horse}`, "xxxoxb-[redacted]"],
    ["in a sentence", `It is xoxb-1-${horse}.`, "It is xoxb-[redacted]."],
    ["in a header", `Bearer xoxb-1-${horse}`, "Bearer xoxb-[redacted]"],
    ["with a letter encoded", "xoxb-1-Correct%48orse", "xoxb-[redacted]"],
    ["with every possible character encoded", `xapp%2D1%2DA1%2D${horse}`, "xapp%2D[redacted]"],
    ["in JSON within a form", `%22token%22%3A%22xoxb-1-${horse}%22%7D`, "%22token%22%3A%22xoxb-[redacted]%22%7D"],
  ])("holds no Slack token %s, but its kind", (_, text, without) => {
    expect(redact(text)).toBe(without);
  });

  it.each([
    ["a command's", hook, "https://hooks.slack.com/commands/[redacted]"],
    ["a button's", `hooks.slack.com/actions/T1/2/${horse}?x=1`, "hooks.slack.com/actions/[redacted]?x=1"],
    ["a webhook's", `hooks.slack.com/services/T1/B2/${horse}, and`, "hooks.slack.com/services/[redacted], and"],
    ["a workflow's", `hooks.slack.com/triggers/T1/2/${horse}`, "hooks.slack.com/triggers/[redacted]"],
    ["a government workspace's", `hooks.slack-gov.com/services/T1/${horse}`, "hooks.slack-gov.com/services/[redacted]"],
    ["one in JSON", JSON.stringify({ response_url: hook, n: 1 }), /^\{"response_url":"[^"]+\/\[redacted\]","n":1\}$/],
    ["one in JSON, as Slack writes it", inSlack, /\\\/commands\\\/\[redacted\]"\}$/],
    ["one in JSON within JSON", JSON.stringify(JSON.stringify({ hook })), /\/commands\/\[redacted\]\\"\}"$/],
    ["one in a form", `url=${encodeURIComponent(hook)}&n=1`, /%2Fcommands%2F\[redacted\]&n=1$/],
    ["one in JSON in a form", encodeURIComponent(inSlack), /%2Fcommands%5C%2F\[redacted\]%22%7D$/],
    ["one of another Slack host", `http://localhost:30/response/${horse}`, "http://localhost:30/response/[redacted]"],
    ["a path", `POST /response/${horse} 200`, "POST /response/[redacted] 200"],
    ["a path with a letter encoded", "/response/1Correct%48orse", "/response/[redacted]"],
  ])("holds no response URL: %s", (_, text, without) => {
    expect(redact(text)).toMatch(without);
    expect(redact(text)).not.toMatch(/orse/);
  });

  it.each([
    "Authorization: Bearer horse",
    "authorization: bearer   horse",
    "Authorization: Basic aG9yc2U6horse",
    "Authorization=Bearer horse",
    JSON.stringify({ headers: { authorization: "Bearer horse" } }),
    JSON.stringify(JSON.stringify({ authorization: "Bearer horse" })),
    JSON.stringify(["Authorization", "Bearer horse"]),
    "{ Authorization: 'Bearer horse' }",
    "a Bearer horse8 was sent",
    "with bearer CorrectBatteryhorse",
    `Bearer ${"x".repeat(15)}8horse`,
  ])("holds no credentials of a header: %s", (text) => {
    expect(redact(text)).not.toContain("horse");
    expect(redact(text)).toMatch(/(bearer|basic) +\[redacted\]/i);
  });

  it("holds no password of a database, but its location", () => {
    const urlWith = (password: string): string =>
      `{"url":"PostgreSQL://bot:${password}@db.example:5432/media?connections=20"}`;
    expect(redact(urlWith(horse))).toBe(urlWith("[redacted]"));
    expect(redact(`postgres://:%48orse@h/x and postgres://a:${horse}@h`)).not.toMatch(/orse/);
  });

  it.each(["mysql", "redis", "amqps", "https"])("holds no password of a URL: %s://", (scheme) => {
    expect(redact(`cannot open ${scheme}://bot:${horse}@host/name`)).toBe(
      `cannot open ${scheme}://bot:[redacted]@host/name`,
    );
  });

  describe.each([
    ["API key", apiKey],
    ["intake key", intakeKey],
    ["token", token],
    ["webhook secret", webhookSecret],
    ["Slack token", `xoxb-123-456-${horse}`],
    ["response URL", hook],
    ["header", `Authorization: Bearer ${horse}`],
    ["password", `postgres://bot:${horse}@db.example/media`],
  ])("holds no %s", (_, secret) => {
    const toHex = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(2, "0");
    const inUrl = encodeURIComponent(secret);
    const each = secret.replace(/./g, (letter) => `%${toHex(letter)}`);
    const vowels = secret.replace(/[aeiou_: ]/gi, (letter) => `%${toHex(letter).toUpperCase()}`);
    const inJson = secret.replace(/[^a-z]/gi, (letter) => `\\u00${toHex(letter)}`);

    it.each([
      ["encoded in a URL", inUrl],
      ["encoded in a form", String(new URLSearchParams({ secret }))],
      ["of which each letter is encoded", each],
      ["of which some letters are encoded", vowels],
      ["encoded twice", encodeURIComponent(each)],
      ["escaped in JSON", inJson],
      ["escaped in JSON within JSON", JSON.stringify(inJson)],
    ])("%s", (_, text) => {
      for (const around of [text, `https://x.example/a?b=1&c=${text}&d=2 and`, JSON.stringify({ a: [text] })]) {
        const without = redact(around);
        // The last letters belong to the secret, except a URL's host.
        const end = secret.startsWith("postgres") ? horse : secret.slice(-8);
        for (const piece of [end, encodeURIComponent(end), each.slice(-24), vowels.slice(-12), inJson.slice(-20)]) {
          expect(without).not.toContain(piece);
        }
        expect(redact(without)).toBe(without);
      }
      expect(() => JSON.parse(redact(`{"a":"${text.replaceAll('"', "")}","b":1}`))).not.toThrow();
    });
  });

  it("keeps the other parts of a URL in which a secret is encoded", () => {
    const each = token.replaceAll(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    expect(redact(`https://x.example/a?b=1&c=${each}&d=2`)).toBe("https://x.example/a?b=1&[redacted]&d=2");
  });

  it.each([
    "a%20channel%3Alobby%40demo, 100%25 and 50% of 20%2",
    "https://x.example/?where=%7B%22channel%22%3A%22lobby%40demo%22%7D&q=\\u00e9\\u0041",
    "Write postgres://user@host/name, or postgres://localhost:5432/name.",
    "POST /orgs/list-session-logs of mo_demo, lobby_1@demo, eyJ, a.b.c",
    'Send "Authorization: Bearer", a space and the project\'s API key.',
    "www-authenticate: Bearer",
    '{"token_type":"Bearer","expires_in":3600}',
    "The bearer token is missing; send Bearer <key>.",
    "a token that begins with xoxb-, xoxe. or xapp-",
    "linuxapp-demo, linuxapp-1, xoxo",
    "see https://hooks.slack.com/, hooks.slack.com/services/",
    "at send (file:///srv/response/send.js:10:3)",
    "/responses/1, /response/",
    "demo_eu, demo_eu_backup, demo_eu_production-cluster-2, mo_eu_backup",
    "the project demo_eu_west_customer_support is down",
    "config.keyJson.rooms.lobby, monkeyJungle.media.example, apiKeyJson.a.b",
    "xoxo-love, xoxo-see-you-soon",
    "flag bearer responsibilities, the bearer of this, bearer GitHub, bearer no 7",
    "request/response/latency and /response/time, http/response/timeouts",
    "http://host:8080/a@b, see https://media.example:9443 or mail ann@media.example",
    "whsec_…, whsec_<base64>, whsec_, the whsec secret",
    "sessions channel:lobby@demo since:today status>=400 url:hooks.example",
  ])("is otherwise unchanged: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("keeps foreign URLs except for our own secrets in them", () => {
    expect(redactKeys(`${hook}?key=${apiKey}`)).toBe(`${hook}?key=mo_${keyId}_[redacted]`);
  });
});

const endingIn = (end: string): string[] => [
  `mo_${keyId}_${"x".repeat(16)}${end}`,
  `whsec_${end}${"x".repeat(16)}/${end}`,
  `eyJ${end}.x.${end}`,
  `xoxb-1-${end}`,
  `xapp-1-A1-2-${end}`,
  `https://hooks.slack.com/commands/T1/2/${end}`,
  `http://localhost:3000/response/${end}`,
  `Bearer ${end}`,
  `postgres://bot:${end}@db.example/media`,
];
const others = fc.constantFrom(...endingIn("AnotherHorse9"), "/", "\\", '"', "\n", " ", ".");
const text = fc.array(fc.oneof(fc.string({ unit: "binary" }), others)).map((parts) => parts.join(""));

describe("any text around a secret", () => {
  it("loses the secret", () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...endingIn(horse)), text, (before, secret, after) => {
        expect(redact(`${before} ${secret} ${after}`)).not.toContain("battery");
      }),
      { numRuns: 100 },
    );
  });

  it("stays JSON if it was JSON, and does not change when it is redacted again", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), text, (value, inner) => {
        for (const within of [inner, JSON.stringify(inner)]) {
          const once = redact(JSON.stringify({ value, [within]: within }));
          expect(() => JSON.parse(once)).not.toThrow();
          expect(redact(once)).toBe(once);
        }
      }),
      { numRuns: 50 },
    );
  });
});

// Inputs that are slow or exhaust the stack: a pattern that backtracks, or that records every step, fails here by far.
// The limit is for a busy machine: each takes a few milliseconds.
describe("a text of megabytes", () => {
  const beginnings = [
    ...["", "xoxb-", "xoxb-1", "hooks.slack.com/a/", "/response/1", "Bearer ", "Authorization: Bearer "],
    ...["postgres://a:", "mo_a_", "whsec_", "eyJ"],
  ];
  const pieces = [
    ...["eyJ", "eyJ.", "mo_a_", "mo_", "xoxb-", "xoxe.", "xapp-", "xapp-1", "hooks.slack.com/", "/response/"],
    ...["Bearer ", "authorization: ", "authorization", "Bearer mo_", "whsec_", "/", "."],
    ...["\\", "%5C", "%2F", "%25", "%41", "\\u0025", "\\u", "\\/"],
    ...["postgres://a:", "://", "postgres", ":", "@", "a", "a.", "/a", "-", " ", "1", "[redacted]", "_", '"'],
  ];

  it.each(beginnings)("takes linear time after %j, for any content", (beginning) => {
    for (const piece of pieces) {
      const text = beginning + piece.repeat(2 ** 18 / piece.length);
      const before = process.cpuUsage();
      redact(text);
      expect(process.cpuUsage(before).user / 1000, `${beginning} ${piece}`).toBeLessThan(1500);
    }
  });

  it.each([
    ["a URL", "https://hooks.slack.com/", "a/"],
    ["a URL with escaped slashes", "https://hooks.slack.com/a\\/", "a\\/"],
    ["an API key", `mo_${keyId}_`, "x"],
    ["an API key, encoded", `mo_${keyId}_`, "%5F"],
    ["a webhook secret", "whsec_", "aB/"],
    ["a Slack token", "xoxb-1", ".a"],
    ["a header", "Authorization: Bearer ", "a"],
  ])("that is a single secret is hidden completely: %s", (_, beginning, piece) => {
    for (const end of ["", " and more"]) {
      const text = redact(beginning + piece.repeat(2 ** 22 / piece.length) + end);
      expect(text.length).toBeLessThan(100);
      expect(text.endsWith(`[redacted]${end}`)).toBe(true);
    }
  });
});

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

  const begun = ['"access_token":"', '"token":"a', '\\"token\\":\\"a', '"token":a', "hooks.slack.com/a/a"];
  const alone = ["eyJ", "eyJ.", "mo_a_", '"token"', "\\", ".", "[", '{"a":', '"token":', "hooks.slack.com/a/"];
  it.each([
    ...begun.map((start) => [start, "a"] as const),
    ...['"token":"', '\\"token\\":\\"'].flatMap((start) =>
      ["\\a", "\\", '\\\\"', " "].map((piece) => [start, piece] as const),
    ),
    ...alone.map((piece) => ["", piece] as const),
  ])("is redacted in linear time, and never fails: %j and then %j", (start, piece) => {
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
