import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatWhy } from "../slack/index.js";
import { now } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";
import { calmWhy, fullChannel, partialWhy, why } from "../test/why-samples.js";

describe("an explanation in Slack", () => {
  it("has the most likely cause, the totals, and each cause", () => {
    const { blocks, text, shown } = formatWhy(why, { now, title: "Why lobby, in the last 20 min" });
    expect(previewOf(blocks).split(/\n\n/)).toMatchObject([
      "**Why lobby, in the last 20 min**<br>Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the 20 min before.",
      "**Connected:** 120 (118 before)",
      "**Ended well:** 71 (110 before)",
      "**Failed:** 45 (2 before)",
      "**Refused:** 1,678 (0 before)",
      /^- \*\*ICE timeout on node-2: 45 connections of 44 clients failed, 2 before\*\*<br>Clients: .*\n- \*\*Token expired in lobby: .*\n- \*\*Channel full /,
      "<sub>Period: 13:45:30–14:05:30 UTC, compared with the 20 min before</sub>",
    ]);
    expect(text).toMatch(/^Why lobby, in the last 20 min: Most likely: ICE timeout on node-2: /);
    expect(shown).toBe(3);
  });

  it("gives an all-clear only if all was counted", () => {
    expect(formatWhy(calmWhy, { now }).text).toMatch(
      /^Why connections fail: Nothing failed: 120 connections were made/,
    );
    const partial = formatWhy(partialWhy, { now });
    expect(partial.text).toMatch(
      /^Incomplete: only 13:52:10–14:05:30 UTC was counted\. Why connections fail: Nothing failed in what was counted/,
    );
    expect(previewOf(partial.blocks)).toMatch(/^\*\*Incomplete: /);
  });

  it("says how many causes do not fit", () => {
    const name = `c${"x".repeat(300)}`;
    const clients = Array.from({ length: 10 }, () => ({ name, count: 1 }));
    const causes = Array.from({ length: 100 }, () => ({ ...fullChannel, clients, channels: clients, nodes: clients }));
    const { blocks, shown } = formatWhy({ ...why, causes }, { now });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(shown).toBeGreaterThan(3);
    expect(previewOf(blocks)).toContain(`${100 - shown} more causes are not shown.`);
  });
});
