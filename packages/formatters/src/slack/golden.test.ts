import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { claims, kinds, now, problem, samples, service, statuses, token } from "../test/samples.js";
import {
  formatLogDetail,
  formatLogs,
  formatProblem,
  formatStatus,
  formatSummary,
  formatToken,
  type SlackMessage,
} from "./index.js";

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

  it("show how a service stands", async () => {
    await golden("status", formatStatus(statuses, service, { now }));
  });

  it("show a token", async () => {
    await golden("token", formatToken(token, claims, { now }));
  });

  it("show a problem", async () => {
    await golden("problem", formatProblem(problem));
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
