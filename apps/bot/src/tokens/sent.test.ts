import { describe, expect, it } from "vitest";
import type { SentForm } from "../request.js";
import { desiredIn, keepable, tokenFaults } from "./tokens.js";

const now = Date.UTC(2026, 10, 21, 12);
const seconds = now / 1000;
const kept = {
  allowed: { demo: { recvonly: 600_000, sendonly: 3_600_000 }, other: { recvonly: 600_000 } },
  maxAheadMs: 3_600_000,
};
const chosen = { project: "demo", channel: "lobby", role: "recvonly", lifetime: "600000" };

const sent = (values: SentForm["values"], window: SentForm["kept"] = kept): SentForm => ({
  values: { ...chosen, ...values },
  kept: window,
  viewId: "V1",
});

describe("the check of a submitted window", () => {
  it.each([
    ["valid input", {}, undefined],
    [
      "a role that the project does not allow",
      { project: "other", role: "sendonly" },
      { role: expect.stringContaining("other") },
    ],
    ["a time too long for the role", { lifetime: "3600000" }, { lifetime: "With this role, at most 10 minutes." }],
    ["a time that fits another role", { role: "sendonly", lifetime: "3600000" }, undefined],
    ["a limit of 0", { limit: "0" }, undefined],
    ["a limit that is high", { limit: "5000" }, undefined],
    ["a limit that is too high", { limit: "5001" }, { limit: "Enter a whole number from 0 to 5000." }],
    ["a limit that is not a number", { limit: "-1" }, { limit: "Enter a whole number from 0 to 5000." }],
    ["a start in the current minute", { start: String(seconds - 59) }, undefined],
    ["a start that has passed", { start: String(seconds - 60) }, { start: expect.stringContaining("has passed") }],
    ["a start in an hour", { start: String(seconds + 3600) }, undefined],
    ["a start beyond an hour", { start: String(seconds + 3601) }, { start: "At most 1 hour ahead." }],
    ["a channel with its project", { channel: "ann@home@demo" }, undefined],
    ["a channel of another project", { channel: "lobby@other" }, { channel: expect.stringContaining("other, and") }],
    ["a channel without its project", { channel: "lobby@" }, { channel: expect.stringContaining("such as lobby") }],
    ["a channel that is too long", { channel: "ü".repeat(126) }, { channel: expect.stringContaining("255 bytes") }],
    ["no channel", { channel: undefined }, { channel: expect.stringContaining("for every channel") }],
    ["every channel, confirmed", { channel: undefined, every: "every" }, undefined],
    ["a channel and every channel", { every: "every" }, { channel: expect.stringContaining("not both") }],
    ["a channel of the maximum length", { channel: "ü".repeat(125) }, undefined],
  ])("handles %s", (_, values, faults) => {
    expect(tokenFaults(sent(values), now)).toEqual(faults);
  });

  it("leaves faults to the creation of the token if the window could not keep the permissions", () => {
    const values = { lifetime: "999999999", start: String(seconds + 999_999) };
    expect(tokenFaults(sent({ ...values, project: undefined }, {}), now)).toBeUndefined();
    expect(
      tokenFaults(sent({ lifetime: "999999999" }, { allowed: "nonsense", maxAheadMs: "soon" }), now),
    ).toBeUndefined();
  });

  it("requires a limit if one was requested before, unless the person confirms that there is none", () => {
    const window = { ...kept, askedLimit: 3 };
    const limit = "You asked for a limit of 3. Enter a number, or tick the box below for no limit.";
    expect(tokenFaults(sent({}, window), now)).toEqual({ limit });
    expect(tokenFaults(sent({ unlimited: "unlimited" }, window), now)).toBeUndefined();
    expect(tokenFaults(sent({ limit: "5" }, window), now)).toBeUndefined();
    expect(tokenFaults(sent({ limit: "5", unlimited: "unlimited" }, window), now)).toHaveProperty("limit");
  });

  it("covers as many projects as a window can keep", () => {
    expect(keepable(kept)).toEqual(kept);
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`project-${at}`, { recvonly: 600_000 }]));
    expect(keepable({ allowed: many, maxAheadMs: 1 })).toEqual({ maxAheadMs: 1 });
  });
});

describe("the request of a submitted window", () => {
  it("has a command and a reason", () => {
    const values = { channel: "lobby", limit: "5", start: String(seconds), reason: "demo" };
    expect(desiredIn(sent(values))).toEqual({
      command: { name: "token", channel: "lobby", role: "recvonly", forMs: 600_000, max: 5, starting: now, in: "demo" },
      reason: "demo",
    });
  });

  it("has the id that was requested before", () => {
    expect(desiredIn(sent({}, { ...kept, id: "5f0c8a52" })).command.id).toBe("5f0c8a52");
  });

  it("is for the only project if there is no choice", () => {
    const only = { allowed: { demo: { recvonly: 600_000 } } };
    expect(desiredIn(sent({ project: undefined }, only)).command.in).toBe("demo");
    expect(desiredIn(sent({ project: undefined })).command).not.toHaveProperty("in");
  });
});
