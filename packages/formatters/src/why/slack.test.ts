import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatWhy } from "../slack/index.js";
import { causes, now, why } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";

const { fullChannel } = causes;
describe("an explanation in Slack", () => {
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
