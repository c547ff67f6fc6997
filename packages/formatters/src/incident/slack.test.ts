import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatIncident, type SlackIncidentOptions } from "../slack/index.js";
import { incidents, now } from "../test/samples.js";
import type { Incident } from "./words.js";

const { failing, recovered, refused, slow } = incidents;

const watch = { title: "demo", description: "failed webhooks, more than 10 in 5 min" };
const format = (incident: Incident, options: Partial<SlackIncidentOptions> = {}) =>
  formatIncident(incident, { now, ...watch, ...options });

describe("an incident", () => {
  it("says that all of them failed, in one line for a phone", () => {
    expect(format({ ...failing, total: 834 }).text).toBe("Webhooks fail in demo: all 834 in 12 min, most with 503");
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
