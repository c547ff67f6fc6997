import { logStatus } from "@media-ops/reports";
import { describe, expect, it } from "vitest";
import { formatStatus, type SlackMessage } from "../slack/index.js";
import { now, samples, service } from "../test/samples.js";

/** The visible text of each block, without bold markup. */
function readIn({ blocks }: SlackMessage): string[] {
  return blocks.map((block) => {
    const found: string[] = [];
    JSON.stringify(block, (key, value: unknown) => {
      if ((key === "text" || key === "fallback") && typeof value === "string") found.push(value);
      return value;
    });
    return found.join("");
  });
}

const fine = logStatus("sessions", samples.sessions, { now });

describe("the state of a service", () => {
  it("has refused clients in the line of their log, and not among the failures", () => {
    const refused = samples.events.filter(({ outcome }) => outcome !== "failed");
    const [calm, logs] = readIn(formatStatus([fine, logStatus("events", refused, { now })], service, { now }));
    expect(calm).toBe("✓ Nothing failed in the last hour.");
    expect(logs).toMatch(/\n✓ Event log: newest .*; 1,666 attempts to connect refused \(channel full\)$/);
  });

  it("says that a service has no event log, which is no failure", () => {
    const missing = { ...logStatus("events", [], { now }), isMissing: true } as const;
    const [calm, logs] = readIn(formatStatus([fine, missing], service, { now }));
    expect(calm).toBe("✓ All is well: nothing failed in the last hour.");
    expect(logs).toMatch(/\n– Event log: this service has none$/);
  });

  it("says that everything is fine, or that there is no traffic", () => {
    expect(formatStatus([fine], service, { now }).text).toBe("✓ All is well: nothing failed in the last hour.");
    const empty = logStatus("sessions", [], { now });
    const words = "– All is quiet: nothing was logged in the last hour.";
    expect(readIn(formatStatus([empty], service, { now })).slice(0, 2)).toEqual([words, "– Session log: empty"]);
    expect(formatStatus([], service, { now })).toMatchObject({ text: words, blocks: { length: 2 } });
  });

  it("writes a time that Slack cannot format in the requested zone", () => {
    const status = logStatus("sessions", [{ timestamp: "1969-07-20T20:17:40Z" }], { now });
    const [, line] = readIn(formatStatus([status], service, { now, timeZone: "Asia/Tokyo" }));
    expect(line).toMatch(/^✓ Session log: newest 1969-07-21 05:17:40 · \d+ d ago, none in the last hour$/);
  });
});
