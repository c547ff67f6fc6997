import { describe, expect, it } from "vitest";
import { formatProblem } from "../slack/index.js";

function mediaError(code: string, fields: object = {}): Error {
  return Object.assign(new Error("What the SDK says."), { name: `Media${code}Error`, code, ...fields });
}

describe("a problem", () => {
  it("has the event, the reason, the next step and the service's request id", () => {
    const error = mediaError("Forbidden", { problem: { detail: "The project is acme's." }, requestId: "01KAKV0B" });
    const { blocks, text } = formatProblem(error, { next: { Forbidden: "Run /media use to change the project." } });
    const shown = JSON.stringify(blocks);
    expect(shown).toContain("✗ This belongs to another project");
    expect(shown).toContain("The project is acme's.");
    expect(shown).toContain("Run /media use to change the project.");
    expect(shown).toContain("Request id `01KAKV0B`");
    expect(text).toBe("This belongs to another project: Run /media use to change the project.");
  });

  it("shows nothing of an unknown error, because it may contain a secret", () => {
    const message = formatProblem(new Error("Bearer mo_key_secret was refused"));
    expect(JSON.stringify(message)).not.toContain("mo_key_secret");
    expect(message.blocks).toHaveLength(2);
  });
});
