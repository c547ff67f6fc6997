import { describe, expect, it } from "vitest";
import { formatClaims, formatToken } from "../terminal/index.js";
import { now } from "../test/samples.js";
import { withoutColours } from "../test/terminal-text.js";

const token = `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(300)}.sig`;
const claims = { channel_id: "lobby@demo", role: "recvonly", exp: now / 1000 + 600 };

describe("a token", () => {
  it("is on a line of its own at any width, so that it can be copied", () => {
    const lines = formatToken(token, claims, { now, width: 40, color: true }).split("\n");
    expect(lines.filter((line) => line === token)).toHaveLength(1);
    for (const line of lines) if (line !== token) expect(withoutColours(line).length).toBeLessThanOrEqual(40);
  });

  it("can be described without being shown", () => {
    const [usage, silent] = [
      { now, usage: true },
      { now, usage: false },
    ];
    expect(formatToken("a.b.c", claims, { now })).toBe(`a.b.c\n\n${formatClaims(claims, usage)}`);
    expect(formatToken("a.b.c", claims, silent)).toBe(`a.b.c\n\n${formatClaims(claims, { now })}`);
  });

  it("cannot inject control characters into the terminal", () => {
    expect(formatToken("a\u001b[2J.b", { role: "\u001b[2J" }, { now })).not.toContain("\u001b");
  });
});
