import { checkBlocks, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { expectWords, labelsOf, plainStage, roomsIn, stageWith, startStage } from "../test/stage.js";

const hooks = [
  webhook({ minutesAgo: 1, elapsed_time_ms: 100 }),
  webhook({ minutesAgo: 10, elapsed_time_ms: 300, status: 503 }),
  webhook({ minutesAgo: 500, elapsed_time_ms: 900, status: 404 }),
];

const room = await roomsIn(async (options) => {
  const stage = await startStage(options);
  await stage.service.add("webhooks", ...hooks);
  return stage;
});

describe("/media summary", () => {
  it("summarizes the matching entries in words, then in figures, with a chart", async () => {
    const stage = room();
    const message = await stage.ask(stage.bob, "/media summary webhooks since:1h");
    const text = textOf(message);
    expect(text).toContain("Summary of 2 webhooks in the last hour, project demo");
    expect(text).toContain("1 of 2 webhooks failed");
    expect(text.indexOf("1 of 2 webhooks failed")).toBeLessThan(text.indexOf("*Failed*"));
    expect(message.blocks.map(({ type }) => type)).toContain("data_visualization");
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(stage.ann.sees(stage.general)).toEqual([]);
  });

  it("leads to the entries, the other chart, and newer figures, all in place", async () => {
    const stage = await startStage();
    const { bob, service } = stage;
    await service.add("webhooks", ...hooks);
    const message = await stage.ask(bob, "/media summary webhooks status>=400");
    const times = await stage.press(message, "Chart of times", bob);
    expect(textOf(times)).toContain("How long failed webhooks took");
    expect(times.ts).toBe(message.ts);

    await service.add("webhooks", webhook({ status: 500 }));
    const refreshed = await stage.press(times, "Refresh", bob);
    expectWords(refreshed, "Summary of 3 webhooks of 4, status ≥ 400, project demo", "How long failed webhooks took");
    const back = await stage.press(refreshed, "Chart of entries", bob);
    expect(textOf(back)).toContain("Failed webhooks over time");

    const entries = await stage.press(back, "Entries", bob);
    expect(textOf(entries)).toContain("3 webhooks of 4, status ≥ 400, project demo");
    expect(entries.ts).toBe(message.ts);
  });

  it("covers the last hour again when it is refreshed later", async () => {
    let later = 0;
    const stage = await startStage({ now: () => Date.now() + later });
    const { bob, service } = stage;
    await service.add("webhooks", ...hooks);
    const message = await stage.ask(bob, "/media summary webhooks since:1h");
    later = 20 * 60_000;
    const refreshed = await stage.press(message, "Refresh", bob);
    expect(textOf(refreshed)).toContain("Summary of 2 webhooks in the last hour, project demo");
    later = 55 * 60_000;
    const again = await stage.press(refreshed, "Refresh", bob);
    expect(textOf(again)).toContain("Summary of 1 webhook in the last hour, project demo");
  });

  it("is shared with everyone, naming the sender; a person who looks closer gets a message of their own", async () => {
    const stage = room();
    const { slack, ann, bob, general } = stage;
    const message = await stage.ask(bob, "/media summary webhooks");
    const shared = await stage.next(ann, general, () => bob.press(message, "Share here"));
    expect(shared.isOnlyVisibleToYou).toBe(false);
    expect(textOf(shared)).toContain(`Shared by @${bob.id}`);
    expect(labelsOf(shared)).toEqual(["Look closer"]);
    const after = await slack.until(() =>
      bob.sees(general).find((seen) => textOf(seen).includes("Shared with everyone here.")),
    );
    expect(after.ts).toBe(message.ts);
    expect(labelsOf(after)).not.toContain("Share here");

    const own = await stage.press(shared, "Look closer");
    expect(own.isOnlyVisibleToYou).toBe(true);
    expect(labelsOf(own)).toContain("Refresh");
    expect(ann.sees(general).find(({ ts }) => ts === shared.ts)).toEqual(shared);
  });

  it("is shared with its text, chart and period in one time zone, which it names", async () => {
    const stage = room();
    const yuki = stage.team.addUser({ name: "yuki", timeZone: "Asia/Tokyo" });
    const place = stage.team.addChannel({ name: "tokyo", members: [yuki, stage.bob] });
    await stage.service.add("webhooks", ...hooks);
    const own = await stage.ask(yuki, "/media summary webhooks since:2026-11-01", place);
    expect(JSON.stringify(own.blocks)).toContain('"x_label":"Asia/Tokyo"');
    expect(textOf(own)).toMatch(/Period: .* Asia\/Tokyo/);
    await yuki.press(own, "Share here");
    const shared = await stage.slack.until(() => stage.bob.sees(place).at(-1));
    expect(textOf(shared)).toContain("since 2026-10-31 15:00 UTC");
    expect(JSON.stringify(shared.blocks)).toContain('"x_label":"UTC"');
    expect(textOf(shared)).toMatch(/Period: .* UTC/);
    expect(JSON.stringify(shared)).not.toContain("<!date");
  });

  it("is sent without its chart to a Slack that does not support charts", async () => {
    const stage = await stageWith("webhooks", ...hooks);
    stage.slack.refuseBlocks(["data_visualization"]);
    const message = await stage.ask(stage.bob, "/media summary webhooks");
    expect(textOf(message)).toContain("2 of 3 webhooks failed");
    expect(labelsOf(message)).toContain("Refresh");
    expect(stage.logged()).toContain("Slack refused the blocks");
  });

  it("says first which period the service listed, and hatches the rest of the chart", async () => {
    const stage = await plainStage();
    stage.media.add(
      "webhooks",
      ...Array.from({ length: 1000 }, (_, at) => webhook({ minutesAgo: 1 + (999 - at) / 100 })),
    );
    const message = await stage.ask(stage.bob, "/media summary webhooks since:30d");
    expect(message.text).toMatch(/^Incomplete: only \S+–\S+ UTC was searched\. Summary of at least 1,000 webhooks/);
    const chart = /Succeeded: (.*)/.exec(textOf(message))?.[1] ?? "";
    expect(chart.split(", ").filter((part) => part.startsWith("░")).length).toBeGreaterThan(10);
  });

  it("groups by the requested fields, the worst first", async () => {
    const stage = await startStage();
    const other = "https://other.example/in";
    await stage.service.add("webhooks", ...hooks, webhook({ url: other }), webhook({ url: other }));
    expect(await stage.read(stage.bob, "/media summary webhooks by:url since:1d")).toMatch(
      /hooks\.example\/media: 2 of 3 failed \(67%\), p95 \d+ ms\W+other\.example\/in: 0 of 2 failed/,
    );
  });

  it("says so if nothing matches", async () => {
    const stage = await startStage();
    const message = await stage.ask(stage.bob, "/media summary sessions channel:lobby");
    expect(textOf(message)).toContain("Summary of 0 sessions, channel lobby, project demo");
    expect(labelsOf(message)).toEqual(["Entries", "Refresh"]);
  });
});
