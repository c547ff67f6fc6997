import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatIncident, type SlackIncidentOptions } from "../slack/index.js";
import { blind, failing, iceTimeouts, nodeGone, recovered, refused, slow } from "../test/incident-samples.js";
import { now } from "../test/samples.js";
import type { Incident } from "./incident.js";

const watch = { title: "demo", description: "failed webhooks, more than 10 in 5 min" };
const format = (incident: Incident, options: Partial<SlackIncidentOptions> = {}) =>
  formatIncident(incident, { now, ...watch, ...options });

describe("an incident", () => {
  it.each<[incident: Incident, heading: string, text: string]>([
    [failing, "▲ Webhooks fail in demo: 503", "Webhooks fail in demo: 834 of 1,200 in 12 min, most with 503"],
    [
      { ...failing, total: 834 },
      "▲ Webhooks fail in demo: 503",
      "Webhooks fail in demo: all 834 in 12 min, most with 503",
    ],
    [
      iceTimeouts,
      "▲ Connections fail in demo: ICE timeout",
      "Connections fail in demo: 1,204 in 1 d 2 h, most with the reason ICE timeout",
    ],
    [
      refused,
      "▲ Clients are refused in demo: channel full",
      "Clients are refused in demo: 120 within a minute, all with the reason channel full",
    ],
    [slow, "▲ Media API calls are slow in demo", "Media API calls are slow in demo: p95 is 3.1 s, above 2 s"],
    [nodeGone, "▲ Events in demo: node died", "Events in demo: 1, with the reason node died"],
    [
      recovered,
      "✓ Webhooks failed in demo: 503",
      "Recovered in demo after 12 min: 834 of 1,200 webhooks failed, most with 503",
    ],
    [blind, "? Webhooks failed in demo: 503", "No answer in demo for 3 min: not known whether webhooks still fail"],
  ])("has a mark and what it is, and one line for a phone: %#", (incident, heading, text) => {
    const { blocks, text: said } = format(incident);
    expect(JSON.stringify(blocks[0])).toContain(`[{"type":"text","text":"${heading}","style":{"bold":true}}`);
    expect(said).toBe(text);
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it("has no place if that goes without saying", () => {
    expect(format(failing, { title: "" }).text).toBe("Webhooks fail: 834 of 1,200 in 12 min, most with 503");
  });

  it("has its times in the zone of each reader, and the day once", () => {
    const dates = (incident: Incident) =>
      JSON.stringify(format(incident).blocks[0]).match(/"timestamp":\d+,"format":"[^"]+"/g);
    const at = (time: number, format: string) => `"timestamp":${Math.floor(time / 1000)},"format":"${format}"`;
    const { began, ended = 0 } = recovered;
    expect(dates(recovered)).toEqual([at(began, "{date_short_pretty} {time}"), at(ended, "{time}")]);
    const long = { ...recovered, began: ended - 2 * 86_400_000 };
    expect(dates(long)).toEqual([long.began, ended].map((time) => at(time, "{date_short_pretty} {time}")));
  });

  it("has a chart only if entries lie in two periods or more", () => {
    const types = (incident: Incident) => format(incident).blocks.map(({ type }) => type);
    expect(types(failing)).toEqual(["rich_text", "data_visualization", "context"]);
    expect(types(refused)).toEqual(["rich_text", "context"]);
    expect(
      types({ ...failing, overTime: failing.overTime.map((one, at) => ({ ...one, count: at === 3 ? 5 : 0 })) }),
    ).toEqual(["rich_text", "context"]);
  });

  it("has a chart of the last twenty periods, if there are more", () => {
    const overTime = Array.from({ length: 25 }, (_, at) => ({ from: at * 60_000, to: (at + 1) * 60_000, count: at }));
    const { blocks } = format({ ...failing, overTime: overTime.reverse() });
    const labels = Array.from({ length: 20 }, (_, at) => `00:${String(at + 5).padStart(2, "0")}`);
    expect(blocks[1]).toMatchObject({ chart: { axis_config: { categories: labels } } });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });

  it.each<[incident: Incident, title: string, series: string]>([
    [failing, "Failed webhooks over time", "Failed"],
    [{ ...refused, overTime: failing.overTime }, "Refused attempts over time", "Refused"],
    [slow, "Slow media API calls over time", "Slow"],
    [{ ...slow, measure: "count" }, "Media API calls over time", "Media API calls"],
  ])("names what its chart counts: %#", (incident, title, series) => {
    expect(format(incident, { timeZone: "Asia/Tokyo" }).blocks[1]).toMatchObject({
      title,
      chart: { type: "bar", series: [{ name: series }], axis_config: { x_label: "Asia/Tokyo" } },
    });
  });

  it("hatches the part of the chart that is not known", () => {
    const { blocks } = format(blind);
    const labels = JSON.stringify(blocks[1]).match(/░\d\d:\d\d/g);
    expect([...new Set(labels)]).toEqual(["░14:03", "░14:04", "░14:05"]);
    expect(JSON.stringify(blocks.at(-1))).toContain("░ was not searched.");
  });

  it("has the watch, the time of the last look and the notes in small print", () => {
    const notes = ["Checks every minute.", "<!channel> @here"];
    expect(format(failing, { notes }).blocks.at(-1)).toEqual({
      type: "context",
      elements: [
        { type: "plain_text", text: "Failed webhooks, more than 10 in 5 min", emoji: false },
        {
          type: "mrkdwn",
          text: "Looked until <!date^1795269926^{time_secs} · {ago}|2026-11-21T14:05:26Z>",
          verbatim: true,
        },
        ...notes.map((text) => ({ type: "plain_text", text, emoji: false })),
      ],
    });
    const { blocks } = format(failing, { notes: Array.from({ length: 20 }, () => "Note.") });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  });
});
