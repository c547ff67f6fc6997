import { checkBlocks, textOf } from "@media-ops/fake-slack";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auditDraft } from "../audit/audited.js";
import type { Member } from "../policy/policy.js";
import { mintingOf } from "../test/minting.js";
import { type MadeToken, mintingPost, refusalDraft, tokenMessage } from "./mint.js";

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
