import { askDigest, type Digest, type DigestLog } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { formatDigest, type SlackMessage } from "../slack/index.js";
import { countingService } from "../test/counting-service.js";
import { calm, entriesIn, serviceOf, troubled, webhookAt } from "../test/digest-samples.js";
import { now } from "../test/samples.js";

/** The lines of a message's rich text. */
function linesOf({ blocks }: SlackMessage): string[] {
  const sections: string[] = [];
  JSON.stringify(blocks, (_, value: unknown) => {
    const { type, elements } = Object(value) as { type?: string; elements?: { text: string }[] };
    if (type === "rich_text_section") sections.push((elements ?? []).map(({ text }) => text).join(""));
    return value;
  });
  return sections.flatMap((section) => section.split("\n"));
}

const digestOf = (service: Parameters<typeof askDigest>[0]) => askDigest(service, { now });
const format = (digest: Digest, timeZone?: string) => formatDigest(digest, { now, timeZone, title: "Digest of demo" });

describe("a digest", () => {
  it.each<[name: string, log: Partial<DigestLog>, words: string]>([
    [
      "a fall",
      { dayBefore: { count: 400 }, weekBefore: { count: 301 } },
      "300 webhooks, ▼ 25% on the day before, ▼ 0.3% on a week before.",
    ],
    [
      "a multiple",
      { dayBefore: { count: 100 }, weekBefore: { count: 40 } },
      "300 webhooks, ▲ 3× the day before, ▲ 7.5× a week before.",
    ],
    [
      "none",
      { dayBefore: { count: 0 }, weekBefore: { count: 300 } },
      "300 webhooks, none the day before, as many as a week before.",
    ],
    [
      "a day that is not known",
      { dayBefore: { count: 300 } },
      "300 webhooks, as many as the day before, a week before is not known.",
    ],
    ["no day that is known", {}, "300 webhooks, the days before are not known."],
  ])("compares with %s", (_, days, words) => {
    const day = { kind: "webhooks" as const, count: 300, complete: true, bytes: [], overTime: [] };
    const digest: Digest = { period: { from: now - 86_400_000, to: now }, logs: [{ kind: "webhooks", day, ...days }] };
    expect(linesOf(format(digest)).at(-1)).toBe(`Webhook log: ${words}`);
  });

  it("names first the logs that gave no answer or were counted in part, and gives no all-clear", async () => {
    const { period, logs } = await digestOf(
      serviceOf({ webhooks: countingService(entriesIn(0, 40, webhookAt(41)), { reach: now - 10 * 3_600_000 }) }),
    );
    const unanswered = (["api", "events"] as const).map((kind) => ({ kind, error: new Error("It failed.") }));
    const message = format({ period, logs: [...logs.filter(({ kind }) => kind === "webhooks"), ...unanswered] });
    expect(linesOf(message)).toEqual([
      "No answer: API log and event log. Not wholly counted: webhook log.",
      "Digest of demo",
      "? Nothing stands out in what is known.",
      "Webhook log: at least 17 webhooks. At least 1 failed.",
      "API log: no answer",
      "Event log: no answer",
    ]);
    expect(message.text).toBe(
      "No answer: API log and event log. Not wholly counted: webhook log. Digest of demo: Nothing stands out in what is known.",
    );
    expect(linesOf(format({ period, logs: unanswered })).slice(0, 2)).toEqual([
      "Digest of demo",
      "? Nothing is known: no log answered.",
    ]);
  });

  it("has one chart: of the log with the most failures, or of the connections", async () => {
    const charts = ({ blocks }: SlackMessage) => blocks.filter(({ type }) => type === "data_visualization");
    expect(charts(format(await digestOf(troubled), "Asia/Tokyo"))).toMatchObject([
      {
        title: "Webhooks over time",
        chart: { series: [{ name: "Succeeded" }, { name: "Failed" }], axis_config: { x_label: "Asia/Tokyo" } },
      },
    ]);
    expect(charts(format(await digestOf(calm)))).toMatchObject([{ title: "Connections over time" }]);
    expect(charts(format(await digestOf(serviceOf({}))))).toEqual([]);
  });

  it("shows only what failed in a chart of events, where a refused client did not succeed", async () => {
    const { period, logs } = await digestOf(troubled);
    const message = format({ period, logs: logs.filter(({ kind }) => kind === "events") });
    expect(message.blocks[2]).toMatchObject({
      title: "Failed events over time",
      chart: { series: [{ name: "Events" }] },
    });
  });

  it("has its period in the zone of each reader, and says what the API log leaves out", async () => {
    const { blocks } = format(await digestOf(calm));
    const [from, to] = ["2026-11-20T14:05:00Z", "2026-11-21T14:05:00Z"].map(
      (time) => `<!date^${Date.parse(time) / 1000}^{date_short_pretty} {time}|${time}>`,
    );
    expect(blocks.at(-1)).toMatchObject({
      elements: [{ text: `From ${from} to ${to}` }, { text: expect.stringContaining("Without the calls of tools") }],
    });
  });
});
