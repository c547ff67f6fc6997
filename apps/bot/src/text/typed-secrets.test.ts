import { describe, expect, it } from "vitest";
import { secretFaults } from "./typed-secrets.js";

const key = "mo_0123_0123456789abcdefghijklmnop";

describe("the texts of a window", () => {
  it("are refused where they hold a key, a token or an address that opens Slack, without repeating it", () => {
    const values = {
      reason: `demo with ${key}`,
      channel: "eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.abcdefghijklmnop",
      address: "https://hooks.slack.com/services/T1/B1/abcdefghijklmnop",
      project: "demo",
      limit: undefined,
    };
    const faults = secretFaults(values, {});
    expect(Object.keys(faults ?? {})).toEqual(["reason", "channel", "address"]);
    expect(faults?.reason).toBe(
      "This holds a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.",
    );
    expect(JSON.stringify(faults)).not.toContain("abcdefgh");
  });

  it("may hold a key in the field that is made for it, and in no other", () => {
    expect(secretFaults({ key, project: "demo" }, { secretField: "key" })).toBeUndefined();
    expect(Object.keys(secretFaults({ key, project: key }, { secretField: "key" }) ?? {})).toEqual(["project"]);
  });
});
