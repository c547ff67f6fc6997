import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { notUnderstood } from "./run.js";

describe("what would have been right", () => {
  it("stands on a button that Slack takes, however long it is, and the command's name", () => {
    for (const prefix of ["/media", "/media-of-the-acme-company-staging"]) {
      const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(200)}`, { prefix });
      expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
      expect(JSON.stringify(blocks)).toContain(`${prefix} logs webhooks`);
    }
  });

  it("stands on none where it is more than a button bears", () => {
    const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(2000)}`, { prefix: "/media" });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(JSON.stringify(blocks)).not.toContain("xx");
  });
});
