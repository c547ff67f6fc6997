import { buttonsOf, checkBlocks, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { createMediaClient } from "@media-ops/sdk";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { apiKeyToTokenKey, readUnverifiedToken, signToken, toClaims, verifyToken } from "@media-ops/tokens";
import fc from "fast-check";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { auditDraft } from "../audit/audited.js";
import type { Member } from "../policy/policy.js";
import { type Minting, Mintings } from "../storage/records.js";
import { mintingOf } from "../test/entries.js";
import { always, startBadService } from "../test/services.js";
import { expectLife, expectWords, labelsOf, startStage, tokenIn } from "../test/stage.js";
import { openTestStorage } from "../test/storage.js";
import { type MadeToken, mintingPost, refusalDraft, tokenMessage } from "./mint.js";

const stage = await startStage({ atEnd: closeAfterAll() });

async function claimsIn(message: SeenMessage) {
  const key = apiKeyToTokenKey(stage.service.apiKey);
  return (await verifyToken(tokenIn(message), key, { now: Date.now() })).claims;
}

async function recordedOf(userId: string): Promise<Minting[]> {
  const storage = await stage.openStorage();
  return new Mintings(storage).latest(stage.team.id, { userId, limit: 100 });
}

describe("a token requested by a command", () => {
  it("has the requested terms, signed with the project's API key", async () => {
    const before = Math.floor(Date.now() / 1000);
    const id = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
    const message = await stage.ask(stage.bob, `/media token lobby max:5 for:90s id:${id}`);
    const after = Math.floor(Date.now() / 1000);

    expect(readUnverifiedToken(tokenIn(message)).alg).toBe("HS256");
    const { exp = 0, ...claims } = await claimsIn(message);
    expect(claims).toEqual({
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 5,
      iat: expect.any(Number),
      jti: id,
    });
    expect(exp).toBeGreaterThanOrEqual(before + 90);
    expect(exp).toBeLessThanOrEqual(after + 90);
  });

  it("may only receive, for ten minutes, by default", async () => {
    const claims = await claimsIn(await stage.ask(stage.bob, "/media token lobby"));
    expect(claims.jti).toMatch(/^[\da-f-]{36}$/);
    expect(claims.role).toBe("recvonly");
    expectLife(claims, 600);
  });

  it("is shown with its terms, its owner, and how it ends", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby for:5m");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expectWords(message, "Lets its holder receive in lobby (project demo), for 5 min.", "Project demo");
    const { jti } = readUnverifiedToken(tokenIn(message)).claims;
    expect(textOf(message)).toContain('A client passes it in its metadata: { "access_token": "<token>" }');
    expect(buttonsOf(message)).toMatchObject([
      { text: "Hide", value: undefined },
      { text: "Revoke…", value: `revoke ${jti} in:demo` },
    ]);
  });

  it("is listed by the service with the person who requested it", async () => {
    const { jti } = readUnverifiedToken(tokenIn(await stage.ask(stage.bob, "/media token lobby for:5m"))).claims;
    const client = createMediaClient({ baseUrl: stage.service.url, apiKey: stage.service.apiKey });
    const { tokens } = await client.tokens.list({ jwt_id: jti });
    expect(tokens).toMatchObject([{ requested_by: `slack:${stage.team.id}/${stage.bob.id}` }]);
  });

  it("starts and ends in the person's own time zone", async () => {
    const { person, place } = stage.newcomer("yuki", { timeZone: "Asia/Tokyo" });
    const message = await stage.ask(person, "/media token lobby starting:09:00", place);
    const { nbf = 0, exp } = readUnverifiedToken(tokenIn(message)).claims;
    expect(new Date(nbf * 1000).toISOString()).toMatch(/T00:00:00/);
    expect(exp).toBe(nbf + 600);
    expectWords(message, "09:00:00 Asia/Tokyo", "09:10:00 Asia/Tokyo");
  });

  it("is not created if it would have expired already", async () => {
    expect(await stage.read(stage.bob, "/media token lobby starting:2020-01-01T00:00:00Z")).toContain(
      "A token that starts then, for 10 minutes, would have ended already. Choose a later start.",
    );
  });
});

describe("the message with a token", () => {
  it("is deleted by Hide", async () => {
    const message = await stage.ask(stage.ann, "/media token lobby");
    await stage.ann.press(message, "Hide");
    await stage.slack.until(() => stage.ann.sees(stage.general).every(({ ts }) => ts !== message.ts));
    expect(JSON.stringify(stage.ann.sees(stage.general))).not.toContain(tokenIn(message));
  });

  it("has simple blocks for a Slack that accepts no others, and no token for one that accepts none", async () => {
    const old = await startStage();
    old.slack.refuseBlocks(["rich_text"]);
    const simple = await old.ask(old.ann, "/media token lobby");
    expect(simple.isOnlyVisibleToYou).toBe(true);
    expect(tokenIn(simple)).not.toBe("");
    expect(textOf(simple)).toMatch(/receive in lobby \(project demo\), for 10 min\.\nEnds: \d{4}-/);

    old.slack.refuseBlocks(["section"]);
    const none = await old.ask(old.ann, "/media token lobby");
    expect(textOf(none)).toBe(
      "Slack refused to show the access token. Nobody has it, so make another with /media token.",
    );
    expect(old.logged()).toContain("Slack refused the blocks");
    expect(old.logged()).not.toContain(tokenIn(simple));
    expect(old.logged()).not.toContain("eyJ");
  });
});

it("a token is recorded with its owner, its conversation and its terms", async () => {
  const { person, place } = stage.newcomer("lee");
  const message = await stage.ask(person, "/media token lobby max:3 starting:2h for:5m", place);
  const { nbf = 0, exp = 0, jti = "" } = readUnverifiedToken(tokenIn(message)).claims;
  expect(await recordedOf(person.id)).toEqual([
    {
      team_id: stage.team.id,
      user_id: person.id,
      place_id: place.id,
      at: expect.any(Number),
      minting_id: expect.any(String),
      project_id: "demo",
      jti,
      channel_id: "lobby@demo",
      role: "recvonly",
      starts_at: nbf * 1000,
      ends_at: exp * 1000,
      max_connections: 3,
      reason: null,
    },
  ]);
});

it("a token that cannot be shown is still recorded, and the person sees that an error occurred", async () => {
  const { person, place } = stage.newcomer("omar");
  stage.slack.fail("response_url", { error: "internal_error", times: 1 });
  const message = await stage.ask(person, "/media token lobby", place);
  expect(textOf(message)).toContain("Slack refused what the bot did (internal_error).");
  expect(textOf(message)).not.toContain("eyJ");
  expect(await recordedOf(person.id)).toHaveLength(1);
});

const now = Date.UTC(2026, 10, 21, 12);
const options = { now, timeZone: "Europe/Berlin", prefix: "/media" };
const token = "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJhIn0.c2lnbmF0dXJl";
const made: MadeToken = { token, claims: { exp: now / 1000 + 600, role: "recvonly" }, projectId: "demo" };

describe("the message with a token", () => {
  it("contains it in one block, and not in the parts that remain if Slack refuses the blocks", () => {
    const { blocks, text, compact, plain, isSecret } = tokenMessage({ ...made, reason: "<!here> *now*" }, options);
    expect(JSON.stringify(blocks).split(token)).toHaveLength(2);
    expect(text + plain).not.toContain(token);
    expect(isSecret).toBe(true);
    const simple = compact?.();
    expect(JSON.stringify(simple?.blocks).split(token)).toHaveLength(2);
    expect(simple?.text).not.toContain(token);
    expect(JSON.stringify(simple?.blocks)).toContain(`<!date^${now / 1000 + 600}^{date_short_pretty} {time_secs}|`);
    expect(JSON.stringify(simple?.blocks)).toContain("reason: &lt;!here&gt; ∗now∗");
  });

  it("has a link for joining if the bot has a template for it, unless the link is too long for Slack", () => {
    const claims = { ...made.claims, channel_id: "lobby@demo" };
    const joinUrl = "https://meet.example.com/{channel}#{token}";
    const { blocks, text } = tokenMessage({ ...made, claims }, { ...options, joinUrl });
    expect(JSON.stringify(blocks)).toContain(`{"type":"link","url":"https://meet.example.com/lobby#${token}"`);
    expect(text).not.toContain(token);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    const long = tokenMessage({ ...made, claims, token: "a".repeat(3000) }, { ...options, joinUrl });
    expect(JSON.stringify(long.blocks)).not.toContain("meet.example.com");
  });

  it("has no simple form if a token is too long for one, so that none is truncated", () => {
    expect(tokenMessage({ ...made, token: "a".repeat(2991) }, options).compact).toBeUndefined();
    const longest = tokenMessage({ ...made, token: "a".repeat(2990) }, options).compact?.();
    expect(checkBlocks(longest?.blocks ?? [], "message")).toEqual({ ok: true });
    expect(JSON.stringify(longest)).toContain("a".repeat(2990));
  });

  it("shows text that only looks like code unchanged", () => {
    const compact = tokenMessage({ ...made, claims: undefined, token: "``` <!here> ```" }, options).compact?.();
    expect(compact?.blocks).toContainEqual({
      type: "section",
      text: { type: "plain_text", text: "``` <!here> ```", emoji: false },
    });
  });

  it("is one that Slack accepts for any content, even if the token is unreadable", () => {
    const text = fc.string({ minLength: 1, maxLength: 300, unit: "binary" });
    const claims = fc.option(
      fc.record({ exp: fc.double({ noNaN: true }), nbf: fc.double({ noNaN: true }), channel_id: text, jti: text }),
      { nil: undefined },
    );
    const any = fc.record({ token: text, claims, projectId: text, reason: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(any, (one) => {
        const { blocks, compact } = tokenMessage(one, options);
        expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
        expect(checkBlocks(compact?.().blocks ?? [], "message")).toEqual({ ok: true });
      }),
    );
  });
});

describe("the message for the audit channel", () => {
  it("has one line for each fact, so that a reason can't look like further facts", () => {
    const reason = "a test\n• *Role:* recvonly\r• *Approved by:* ann\u2028\u202e";
    const count = (text: string): number => text.split(/[\n\r\u2028]/).length;
    const [post, plain] = [{ reason }, { reason: "a test" }].map((more) =>
      textOf(auditDraft(mintingPost({ ...mintingOf({}), ...more })).blocks),
    );
    expect(count(post ?? "")).toBe(count(plain ?? ""));
    expect(post).not.toContain("\u202e");
  });

  const minting = mintingOf({ user_id: "U1", place_id: "C1", at: now, jti: "j" });

  it.each([
    ["C1", "<#C1>"],
    ["G1", "<#G1>"],
    ["D1", "a direct conversation"],
    ["U1", "a direct conversation"],
  ])("names where the token was requested: %s", (place_id, words) => {
    expect(auditDraft(mintingPost({ ...minting, place_id })).text).toBe(`<@U1> made an access token in ${words}.`);
  });

  it("mentions missing limits, too", () => {
    expect(textOf(auditDraft(mintingPost(minting)).blocks)).toContain(
      "• *Channel:* every channel\n• *Role:* any\n• *Begins:* at once\n• *Ends:* not known\n• *Limit:* none\n• *Token id:* j\n• *Reason:* none given",
    );
  });

  it("is one that Slack accepts for any content, and has no further mentions", () => {
    const text = fc.string({ minLength: 1, maxLength: 300, unit: "binary" });
    const any = fc.record({
      project_id: text,
      channel_id: text,
      role: text,
      jti: text,
      reason: text,
      ends_at: fc.double(),
    });
    fc.assert(
      fc.property(any, (more) => {
        const { blocks } = auditDraft(mintingPost({ ...minting, ...more }));
        expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
        const marks = JSON.stringify(blocks).match(/<[^>]*>?/g) ?? [];
        expect(marks.filter((mark) => !/^<(@U1|#C1|!date\^\d+\^[^|>]*\|[-\dTZ:]+)>$/.test(mark))).toEqual([]);
      }),
    );
  });
});

describe("a refusal", () => {
  const desired = { command: { name: "token", channel: "lobby", role: "sendrecv" } } as const;
  const member: Member = { userId: "U9", isAdmin: false, isGuest: false, groups: new Set() };

  it.each([
    [[], "No. A workspace admin can help."],
    [["U1"], "No. <@U1> can help."],
    [["U1", "S1"], "No. <@U1> or <!subteam^S1> can help."],
    [["U1", "W2", "S1"], "No. <@U1>, <@W2> or <!subteam^S1> can help."],
  ])("names the people who can help: %j", (ask, words) => {
    const { blocks, text } = refusalDraft({ reason: "No.", ask }, member, { choose: desired });
    expect(text).toBe(words);
    expect(blocks[0]).toMatchObject({ text: { type: "mrkdwn", text: words } });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it.each([
    ["an admin", [], { ...member, isAdmin: true }],
    ["a person who can help", ["U9"], member],
  ])("never refers a person to themselves: %s", (_, ask, who) => {
    const { text } = refusalDraft({ reason: "No.", ask }, who, { choose: desired });
    expect(text).toBe("No. The bot's operator can allow more in its token policy.");
  });

  it("names only the others to a person who can help", () => {
    const { text } = refusalDraft({ reason: "No.", ask: ["U9", "S1"] }, member, { choose: desired });
    expect(text).toBe("No. <!subteam^S1> can help.");
  });

  it("offers a choice only if there is one", () => {
    expect(refusalDraft({ reason: "No.", ask: [] }, member, { choose: desired }).blocks).toHaveLength(2);
    expect(refusalDraft({ reason: "No.", ask: [] }, member, {}).blocks).toHaveLength(1);
  });

  it("creates no mention from the name of a project", () => {
    expect(refusalDraft({ reason: "For <!channel>.", ask: [] }, member, {}).text).toBe(
      "For &lt;!channel&gt;. A workspace admin can help.",
    );
  });
});

const someKey = apiKeyToTokenKey(`mo_0123456789abcdef_${"k".repeat(43)}`);
const in10Minutes = (): string => new Date(Date.now() + 600_000).toISOString();

/** A token as a service may create it, for any request. */
const tokenOf = (request: Parameters<typeof toClaims>[0]): Promise<string> =>
  signToken(toClaims(request, { now: Date.now() }), someKey);

let count = 0;

/** The person's message if the service sends this answer, and the records of the token. */
async function ask(
  answer: Parameters<typeof startBadService>[0],
  wanted: string,
): Promise<{ message: SeenMessage; recorded: Minting[] }> {
  count++;
  const projectId = `bad${count}`;
  await stage.addConnection(projectId, { baseUrl: await startBadService(answer) });
  const { person, place } = stage.newcomer(`user${count}`);
  const message = await stage.ask(person, `/media token ${wanted} in:${projectId}`, place);
  const recorded = await recordedOf(person.id);
  return { message, recorded };
}

const answering = (access_token: string) => always(200, { access_token });

describe("a token that differs from the request", () => {
  it.each([
    ["its role", "channel:*", { expiration_time: in10Minutes() }],
    ["its role", "channel:* role:recvonly", { role: "sendrecv", expiration_time: in10Minutes() }],
    ["its end", "channel:*", { role: "recvonly" }],
    ["its end", "channel:* for:5m", { role: "recvonly", expiration_time: in10Minutes() }],
    ["its channel", "lobby", { role: "recvonly", expiration_time: in10Minutes() }],
    [
      "its channel, its limit",
      "lobby max:5",
      { role: "recvonly", channel_id: "hall@x", expiration_time: in10Minutes() },
    ],
    ["its start", "channel:* starting:5m for:10m", { role: "recvonly", expiration_time: in10Minutes() }],
  ] as const)("is not shown: %s, asked %j", async (excess, wanted, request) => {
    const token = await tokenOf(request);
    const { message, recorded } = await ask(answering(token), wanted);
    expect(textOf(message)).toBe(
      `The service made a token that allows more than was asked for (${excess}). It is not shown to anyone. Tell the service's operator.`,
    );
    expect(recorded).toEqual([]);
    expect(stage.logged()).toContain("an access token that allows more than was asked for");
    expect(stage.logged()).not.toContain(token.split(".")[1]);
  });

  it("is shown if it allows less, with the actual limits", async () => {
    const request = { role: "recvonly", channel_id: "lobby@x", expiration_time: in10Minutes() } as const;
    const token = await tokenOf({ ...request, max_channel_connections: 1 });
    const { message, recorded } = await ask(answering(token), "channel:*");
    // Some seconds may have passed since the token was created.
    expect(textOf(message)).toMatch(
      /receive in lobby \(project x\), for (10 min|9 min \d\d s), while fewer than 1 are connected there\./,
    );
    expect(recorded).toMatchObject([
      { channel_id: "lobby@x", max_connections: 1, jti: readUnverifiedToken(token).claims.jti },
    ]);
  });
});

describe("an unreadable token", () => {
  it("is shown with a note that it cannot be read, and recorded as requested", async () => {
    const { message, recorded } = await ask(answering("a <b> `c`"), "lobby max:4");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expectWords(message, "What it allows can't be read, and may be more than you asked for.", "\na <b> `c`\n");
    expect(message.text).not.toContain("<b>");
    expect(labelsOf(message)).toEqual(["Hide"]);
    expect(recorded).toMatchObject([
      {
        jti: expect.stringMatching(/^[\da-f-]{36}$/),
        channel_id: `lobby@bad${count}`,
        role: "recvonly",
        max_connections: 4,
      },
    ]);
    expect((recorded[0]?.ends_at ?? 0) - (recorded[0]?.at ?? 0)).toBeGreaterThan(599_000);
  });

  it.each([
    ["", "The service answered without a token. Tell the service's operator."],
    [7, "The answer did not come from a media service"],
    [null, "The answer did not come from a media service"],
  ])("is an error if it is empty or no string: %j", async (access_token, words) => {
    const { message, recorded } = await ask(always(200, { access_token }), "lobby");
    expect(textOf(message)).toContain(words);
    expect(recorded).toEqual([]);
  });
});

it("a service that creates no token is reported to have refused it, with the reason", async () => {
  const errors = [{ pointer: "/channel_id", detail: "Must have at most 255 bytes." }];
  const problem = { type: "about:blank", title: "Bad", status: 400, detail: "Bad input.", request_id: "r1", errors };
  const { message, recorded } = await ask(always(400, problem), "lobby");
  expectWords(message, "The service did not understand the request", "channel_id: Must have at most 255 bytes.");
  expect(recorded).toEqual([]);
});

describe("the project of a token", () => {
  it("is the project in the channel's name", async () => {
    expect(await stage.read(stage.bob, "/media token lobby@demo")).toContain("receive in lobby (project demo)");
  });

  it.each([
    [
      "lobby@other",
      "This channel belongs to the project other, and the token is for demo. If that is part of its name, add @demo.",
    ],
    ["lobby@", "Enter the channel's name, such as lobby. With its project it has at most 255 bytes."],
    ["é".repeat(126), "Enter the channel's name, such as lobby. With its project it has at most 255 bytes."],
  ])("must match the channel, whose name must be valid: %s", async (channel, words) => {
    expect(await stage.read(stage.bob, `/media token ${channel} in:demo`)).toBe(words);
  });

  it("is not taken from a channel with the same name", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby@other@demo in:demo");
    expect(textOf(message)).toContain("receive in lobby@other (project demo)");
  });

  it("must be chosen if it is not connected, and the channel's name stays", async () => {
    const refused = await stage.ask(stage.bob, "/media token lobby@demoo for:5m");
    const button = buttonsOf(refused).find(({ text }) => text === "demo");
    expect(button?.value).toBe("token lobby for:5m in:demo");
    const message = await stage.press(refused, "demo", stage.bob);
    expect(textOf(message)).toContain("receive in lobby (project demo), for 5 min.");
  });
});

it("a token that cannot be recorded is not shown", async () => {
  const { query } = await stage.openStorage();
  await sql`alter table minting rename to minting_away`.execute(query);
  try {
    const message = await stage.ask(stage.ann, "/media token lobby in:demo");
    expect(textOf(message)).toContain("Something went wrong here");
    expect(textOf(message)).not.toContain("eyJ");
  } finally {
    await sql`alter table minting_away rename to minting`.execute(query);
  }
});

const minting = (at: number, more: Partial<Minting> = {}): Minting => mintingOf({ at, jti: `jti-${at}`, ...more });

it("a minting is recorded even if its token contains times out of range", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1, { starts_at: -1e300, ends_at: 1.5e20 }));
  const [told] = await mintings.latest("T01", { limit: 10 });
  expect(told).toMatchObject({ starts_at: Number.MIN_SAFE_INTEGER, ends_at: Number.MAX_SAFE_INTEGER });
});

it("the latest are listed first, of one workspace or one user, up to the limit", async () => {
  const mintings = new Mintings(await openTestStorage());
  for (const at of [1, 3, 2]) await mintings.record(minting(at));
  await mintings.record(minting(4, { user_id: "U02" }));
  await mintings.record(minting(5, { team_id: "T02" }));
  const times = async (...of: Parameters<typeof mintings.latest>) => (await mintings.latest(...of)).map(({ at }) => at);
  expect(await times("T01", { limit: 10 })).toEqual([4, 3, 2, 1]);
  expect(await times("T01", { limit: 2 })).toEqual([4, 3]);
  expect(await times("T01", { userId: "U01", limit: 2 })).toEqual([3, 2]);
  expect(await times("T02", { userId: "U01", limit: 10 })).toEqual([5]);
});

it("two mintings with the same time and id are both recorded", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1));
  await mintings.record(minting(1, { user_id: "U02" }));
  expect(await mintings.latest("T01", { limit: 10 })).toHaveLength(2);
});
