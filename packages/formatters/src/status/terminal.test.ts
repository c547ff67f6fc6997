import { logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { formatStatus } from "../terminal/index.js";
import { now, samples, service, statuses } from "../test/samples.js";

describe("the state of a service", () => {
  it("shows the distance of an entry in the future", () => {
    const entry = { ...samples.api[0], timestamp: "2026-11-21T14:10:30Z" };
    const status = logStatus("api", [entry], { now });
    expect(formatStatus([status], service, { now })).toContain(
      "API log: newest in 5 min, 1 API call in the last hour.",
    );
  });

  it("wraps below the words if lines are short, and below the mark if they are very short", () => {
    const [sessions] = statuses.map((status) => [status]);
    expect(
      formatStatus(sessions ?? [], service, { now, width: 30 })
        .split("\n")
        .slice(-3),
    ).toEqual(["✓ Session log: newest 2 min", "  ago, 2 sessions in the last", "  hour."]);
    expect(
      formatStatus(sessions ?? [], service, { now, width: 12 })
        .split("\n")
        .slice(-7),
    ).toEqual(["✓", "Session log:", "newest 2 min", "ago, 2", "sessions in", "the last", "hour."]);
  });

  it("colours only the marks", () => {
    const text = formatStatus(statuses, service, { now, color: true });
    expect(text).toContain("\u001b[32m✓\u001b[39m Session log");
    expect(text).toContain("\u001b[31m▲\u001b[39m Webhook log");
  });
});
