import { MediaForbiddenError, MediaUnauthorizedError } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { formatProblem } from "../terminal/index.js";

const error = new MediaUnauthorizedError("401", {
  status: 401,
  problem: { detail: "The key mo_k1 was revoked\u001b[2J on 2026-11-01." },
  requestId: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
});

describe("a problem", () => {
  it("shows the event, the reason, the next step and the request id", () => {
    expect(formatProblem(error).split("\n")).toEqual([
      "✗ The API key was refused.",
      "The key mo_k1 was revoked␛[2J on 2026-11-01.",
      "Use a valid key, or create a new one.",
      "The request id in the service's logs is 01KAKV0B9E7W5Q3X1Z8N6M4K2J.",
    ]);
  });

  it("shows the program's own next step", () => {
    expect(formatProblem(error, { next: { Unauthorized: "Run `media login`." } })).toContain("\nRun `media login`.\n");
  });

  it("shows nothing of an error that is not from the SDK", () => {
    expect(formatProblem(new Error("mo_key_secret"))).toBe(
      "✗ Something went wrong here.\nTry again. If it persists, contact the operator.",
    );
  });

  it("fits the terminal, also with colours", () => {
    const lines = formatProblem(new MediaForbiddenError("x".repeat(99)), { width: 20, color: true }).split("\n");
    expect(lines[0]).toBe("\u001b[31m✗ This belongs to\u001b[39m");
    expect(lines).toContain("x".repeat(20));
  });
});
