import { type SeenMessage, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { startPlainService } from "../test/plain-service.js";
import { labelsOf, type Stage, stageWith, startStage } from "../test/stage.js";

const webhooks = (count: number) =>
  Array.from({ length: count }, (_, at) => webhook({ minutesAgo: count - at, elapsed_time_ms: count - at }));

async function startWithListing(): Promise<{ stage: Stage; older: SeenMessage }> {
  const stage = await stageWith("webhooks", ...webhooks(50));
  const first = await stage.ask(stage.ann, "/media logs webhooks status:200");
  const older = await stage.press(first, "Older");
  return { stage, older };
}

/** Presses Share, and waits until the page is shared. */
async function share({ slack, ann, bob, general }: Stage, message: SeenMessage, times = 1): Promise<SeenMessage> {
  await ann.press(message, "Share here", { times });
  await slack.until(() => ann.sees(general).some((seen) => textOf(seen).includes("Shared with everyone here.")));
  return slack.until(() => bob.sees(general).at(-1));
}

describe("sharing a page of logs", () => {
  it("shows the same page to everyone in the channel, once on a double click, and says who shared it", async () => {
    const { stage, older } = await startWithListing();
    await stage.service.add("webhooks", webhook({ minutesAgo: 0 }));
    const shared = await share(stage, older, 2);
    await stage.settled();
    expect(stage.bob.sees(stage.general)).toEqual([shared]);
    expect(shared.isOnlyVisibleToYou).toBe(false);
    expect(textOf(shared)).toContain("51 webhooks, status 200, project demo");
    expect(textOf(shared)).toContain("22–41 of 51 webhooks");
    expect(textOf(shared)).toContain(" | 21 ms | ");
    expect(textOf(shared)).toContain(" | 40 ms | ");
    const context = { type: "mrkdwn", text: `Shared by <@${stage.ann.id}>`, verbatim: true };
    expect(shared.blocks).toContainEqual(expect.objectContaining({ type: "context", elements: [context] }));
    expect(labelsOf(shared)).toEqual(["Look closer"]);
  });

  it("shows times in UTC, because readers may be in other time zones", async () => {
    const stage = await startStage();
    const yuki = stage.team.addUser({ name: "yuki", timeZone: "Asia/Tokyo" });
    const place = stage.team.addChannel({ name: "tokyo", members: [yuki, stage.bob] });
    await stage.service.add("webhooks", webhook());
    const own = await stage.ask(yuki, "/media logs webhooks since:2026-11-01", place);
    expect(textOf(own)).toContain("1 webhook since 2026-11-01, project demo");
    await yuki.press(own, "Share here");
    const shared = await stage.slack.until(() => stage.bob.sees(place).at(-1));
    expect(textOf(shared)).toContain("1 webhook since 2026-10-31 15:00 UTC, project demo");
  });

  it("leaves the person's own message unchanged, without Share, and confirms the share", async () => {
    const { stage, older } = await startWithListing();
    await share(stage, older);
    const own = stage.ann.sees(stage.general).find(({ isOnlyVisibleToYou }) => isOnlyVisibleToYou);
    expect(own?.ts).toBe(older.ts);
    expect(textOf(own ?? older)).toContain("21–40 of 50 webhooks");
    expect(labelsOf(own ?? older)).toEqual(["Newer", "Older", "Refresh", "CSV"]);
    expect(stage.bob.sees(stage.general)).toHaveLength(1);
  });

  it("opens a listing of their own for a person who looks closer, and leaves the shared page unchanged", async () => {
    const { stage, older } = await startWithListing();
    const shared = await share(stage, older);
    const own = await stage.press(shared, "Look closer", stage.bob);
    expect(own.isOnlyVisibleToYou).toBe(true);
    expect(textOf(own)).toContain("21–40 of 50 webhooks");
    expect(labelsOf(own)).toEqual(["Newer", "Older", "Refresh", "Share here", "CSV"]);
    const newer = await stage.press(own, "Newer", stage.bob);
    expect(newer.ts).toBe(own.ts);
    expect(stage.bob.sees(stage.general).find(({ ts }) => ts === shared.ts)).toEqual(shared);
    // Ann sees her own message and what she shared, but none of bob's messages.
    expect(stage.ann.sees(stage.general)).toHaveLength(2);
  });

  it("shares nothing if no entry is left, and says so", async () => {
    const plain = await startPlainService();
    const stage = await startStage({ media: plain });
    plain.add("webhooks", webhook({ minutesAgo: 5, status: 503 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks status>=500");
    plain.add("webhooks", ...Array.from({ length: 1000 }, () => webhook()));
    const none = await stage.press(message, "Share here");
    expect(textOf(none)).toContain("Not shared: no entry matches any more.");
    expect(stage.bob.sees(stage.general)).toEqual([]);
  });

  it("is not offered in the direct conversation with the bot", async () => {
    const stage = await stageWith("webhooks", ...webhooks(3));
    await stage.ann.command("/media logs webhooks");
    const message = await stage.slack.until(() => stage.ann.direct().at(-1));
    expect(labelsOf(message)).toEqual(["Refresh", "CSV"]);
  });
});
