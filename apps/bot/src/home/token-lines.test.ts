import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import type { Minting } from "../tokens/mintings.js";
import { tokenLines } from "./token-lines.js";

const now = Date.UTC(2026, 10, 21, 14);
const minting = { teamId: "T1", userId: "U1", placeId: "C1", at: now, projectId: "demo", jti: "id" };
const textOf = (more: Partial<Minting>): string => JSON.stringify(tokenLines([{ ...minting, ...more }], now));

describe("the line of a token", () => {
  it.each([
    ["for every channel and role", {}, "Without end · every channel of demo · any role"],
    ["of a channel", { channelId: "main@hall@demo", role: "sendonly" }, "*main@hall* of demo · sendonly"],
    ["that is good", { endsAt: now + 60_000 }, "Until <!date^1795269660^"],
    ["that has ended", { endsAt: now }, "Ended <!date^1795269600^"],
    ["that is not good yet", { startsAt: now + 60_000, endsAt: now + 120_000 }, "From <!date^1795269660^"],
    ["that will be good without end", { startsAt: now + 60_000 }, "|2026-11-21T14:01:00Z> on · every"],
    ["with a name that looks like markup", { channelId: "<!here>*x*@demo" }, "*&lt;!here&gt;∗x∗* of demo"],
  ])("says what it allows, and when it is good: one %s", (_, more, words) => {
    expect(textOf(more)).toContain(words);
  });

  it("stays one line, and within Slack's limits, however long the names are", () => {
    const blocks = tokenLines(
      Array.from({ length: 5 }, () => ({ ...minting, channelId: "a\n".repeat(500) })),
      now,
    );
    expect(checkBlocks(blocks, "home")).toEqual({ ok: true });
    expect(JSON.stringify(blocks).match(/\\n/g)).toHaveLength(4);
  });
});
