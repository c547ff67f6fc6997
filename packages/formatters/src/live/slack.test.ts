import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatLive } from "../slack/index.js";
import { live, now } from "../test/samples.js";
import { previewOf } from "../test/slack-preview.js";

describe("live channels in Slack", () => {
  it("say how many do not fit", () => {
    const channels = Array.from({ length: 1000 }, () => live.channels)
      .flat()
      .slice(0, 1000);
    const { blocks, shown } = formatLive({ ...live, channels, omitted_channels: 5 }, { now });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(shown).toBeGreaterThan(50);
    expect(previewOf(blocks)).toContain(`${1005 - shown} more channels are not shown.`);
  });
});
