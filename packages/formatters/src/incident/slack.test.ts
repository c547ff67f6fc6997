import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { formatIncident, type SlackIncidentOptions } from "../slack/index.js";
import { incidents, now } from "../test/samples.js";
import type { Incident } from "./words.js";

const { failing, refused, slow } = incidents;

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
});
