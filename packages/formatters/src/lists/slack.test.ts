import type { IssuedToken } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import type { Button } from "@slack/types";
import { describe, expect, it } from "vitest";
import { formatAudit, formatDelivery, formatEndpoints, formatTokens } from "../slack/index.js";
import { deliveries, issued, now } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";

const button = ({ jwt_id }: IssuedToken): Button => ({
  type: "button",
  text: { type: "plain_text", text: "Revoke" },
  action_id: `revoke:${jwt_id}`,
});

/** So many active tokens. */
const tokens = (count: number): IssuedToken[] =>
  Array.from({ length: count }, (_, at) => ({
    ...(issued[0] as IssuedToken),
    jwt_id: `5f0c8a52-3f5e-4f0b-9d9a-${String(at).padStart(12, "0")}`,
  }));

describe("a list in Slack", () => {
  it("has a section for each item, with its button below", () => {
    const { blocks, text, shown } = formatTokens(tokens(2), { now, button });
    expect(blocks.map(({ type }) => type)).toEqual(["rich_text", "section", "actions", "section", "actions"]);
    expect(blocks[2]).toEqual({ type: "actions", elements: [button(tokens(1)[0] as IssuedToken)] });
    expect(text).toBe("Access tokens: 2 active tokens.");
    expect(shown).toBe(2);
  });

  it("leaves an item without a button if the caller makes none for it", () => {
    const { blocks } = formatTokens(issued, {
      now,
      button: (token) => (token.state === "active" ? button(token) : undefined),
    });
    expect(blocks.filter(({ type }) => type === "actions")).toHaveLength(2);
  });

  it("shows 20 items, or as many as were asked for, and says how many more there are", () => {
    const { blocks, shown } = formatTokens(tokens(32), { now });
    expect(shown).toBe(20);
    expect(previewOf(blocks)).toMatch(/<sub>… and 12 more<\/sub>$/);
    const preview = previewOf(formatTokens(tokens(32), { now, atMost: 5, hasMore: true }).blocks);
    expect(preview).toContain("At least 32 active tokens.");
    expect(preview).toMatch(/<sub>… and at least 27 more<\/sub>$/);
  });

  it("fits into a message with a button for each item, and leaves blocks for the caller", () => {
    const { blocks, shown } = formatTokens(tokens(100), { now, atMost: 100, button, note: "Of demo." });
    expect(shown).toBe(22);
    expect(blocks.length).toBeLessThanOrEqual(46);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(formatTokens(tokens(100), { now, atMost: 100 }).shown).toBe(40);
  });

  it("mentions a person only by an id of Slack, and escapes any other name", () => {
    const shown = (name: string | { userId: string }) =>
      JSON.stringify(formatTokens(tokens(1), { now, nameOf: () => name }).blocks);
    expect(shown({ userId: "U0ANN" })).toContain("requested by <@U0ANN>");
    expect(shown({ userId: "U0ANN> <!channel" })).toContain("requested by `slack:T0PLAY/U0ANN`");
    expect(shown("<@U0ANN> <!channel>")).toContain("requested by `&lt;@U0ANN&gt; &lt;!channel&gt;`");
    expect(shown("")).toContain("requested by `slack:T0PLAY/U0ANN`");
  });

  it("says if it is empty", () => {
    expect(formatTokens([], { now }).text).toBe("Access tokens: No active tokens.");
    expect(formatEndpoints([], { now }).text).toBe("Webhook endpoints: The project has no webhook endpoint.");
    expect(formatAudit([], { now, title: "Audit log of demo" }).text).toBe("Audit log of demo: No entries were found.");
  });
});

describe("one delivery in Slack", () => {
  it("shows the newest of very many attempts, and says how many are older", () => {
    const attempts = Array.from({ length: 52 }, () => ({ timestamp: "2026-11-21T14:03:23Z", status: 503 }));
    const { blocks } = formatDelivery({ ...Object(deliveries[0]), attempts }, { now });
    expect(checkBlocks(blocks, "modal")).toEqual({ ok: true });
    expect(previewOf(blocks)).toMatch(/<sub>2 older attempts are not shown\.<\/sub>$/);
  });
});
