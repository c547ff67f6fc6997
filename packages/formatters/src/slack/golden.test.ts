import { checkBlocks } from "@media-ops/fake-slack";
import type { LogKind } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { columns } from "../columns.js";
import { now, samples } from "../test/samples.js";
import { formatLogDetail, formatLogs, formatProblem, formatSummary, formatToken, type SlackMessage } from "./index.js";

const kinds = Object.keys(columns) as LogKind[];

describe("the golden files, which are read by people,", () => {
  it.each(kinds)("show %s as a table", async (kind) => {
    await golden(kind, formatLogs(kind, samples[kind], { now }));
  });

  it.each(kinds)("show %s as lines", async (kind) => {
    await golden(`${kind}.compact`, formatLogs(kind, samples[kind], { now, style: "compact" }));
  });

  it.each(kinds)("show one of the %s with all that it holds", async (kind) => {
    await golden(`${kind}.detail`, formatLogDetail(kind, samples[kind][0], { now }), "modal");
  });

  it.each(kinds)("sum up %s", async (kind) => {
    await golden(`${kind}.summary`, formatSummary(kind, samples[kind], { now, timeZone: "Europe/Berlin" }));
  });

  it("show a token", async () => {
    const claims = {
      iat: now / 1000,
      exp: now / 1000 + 600,
      jti: "0b7e8a52-2f0d-4a57-9c1e-6f1f6f0f7a10",
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 5,
    };
    await golden("token", formatToken("eyJhbGciOiJIUzI1NiJ9.e30.not-a-signature", claims, { now }));
  });

  it("show a problem", async () => {
    const error = Object.assign(new Error("429 from https://media.example"), {
      name: "MediaTooManyRequestsError",
      code: "TooManyRequests",
      status: 429,
      problem: { detail: "The key made more than 50 requests in a second." },
      requestId: "01KAKV0B9E7W5Q3X1Z8N6M4K2J",
      retryAfterMs: 2000,
    });
    await golden("problem", formatProblem(error));
  });
});

async function golden(name: string, message: SlackMessage, surface: "message" | "modal" = "message"): Promise<void> {
  expect(checkBlocks(message.blocks, surface)).toEqual({ ok: true });
  await expect(`${readable(message)}\n`).toMatchFileSnapshot(`../../golden/${name}.slack.json`);
}

/** JSON with everything on one line that fits on one, so that a table's rows can be read. */
function readable(value: unknown, indent = "", before = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Object.entries(value).map(([key, one]) => {
    const name = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return { name, one };
  });
  const space = Array.isArray(value) ? "" : " ";
  const flat = `${open}${space}${parts.map(({ name, one }) => name + readable(one, "", -Infinity)).join(", ")}${space}${close}`;
  if (indent.length + before + flat.length < 120) return flat;
  const lines = parts.map(({ name, one }) => `${inner}${name}${readable(one, inner, name.length)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
