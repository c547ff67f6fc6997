import { describe, expect, it } from "vitest";
import { type LogName, logKinds, type NewEntry } from "../logs/log-store.js";
import { openIndexedLogs } from "../test/indexed-logs.js";
import { count, parseCount } from "./count.js";

const now = Date.parse("2026-04-10T00:00:00Z");
const log: LogName = ["demo", logKinds.webhooks.number];

/** Webhooks with a URL of their own, all of the same hour. */
const webhooks = (first: number, end: number): NewEntry[] =>
  Array.from({ length: end - first }, (_, i) => {
    const timestamp = new Date(now - 3_600_000 + (first + i) * 1000).toISOString();
    const text = JSON.stringify({ timestamp, status: 200, url: `https://hooks.example/${first + i}` });
    return { projectId: "demo", kind: "webhooks", timestamp, text };
  });

/** Notes how many steps of a kind there are between two pauses. */
function pauseCounter() {
  let steps = 0;
  const seen = {
    /** The greatest number. */
    most: 0,
    step() {
      steps += 1;
      seen.most = Math.max(seen.most, steps);
    },
    work: {
      isOver: false,
      async pause() {
        steps = 0;
      },
    },
  };
  return seen;
}

/** A question whose conditions cost much, and call `step` for each test of an entry. */
function watched(step: () => void) {
  const question = parseCount("demo", { kind: "webhooks", where: { url: { contains: "hooks" } } }, now);
  const { conditions } = question;
  return {
    ...question,
    conditions: {
      ...conditions,
      atOnce: 8,
      all: conditions.all.map((condition) => ({
        ...condition,
        holds(value: Parameters<typeof condition.holds>[0]) {
          step();
          return condition.holds(value);
        },
      })),
    },
  };
}

describe("a count lets others continue after a few", () => {
  it.each<[string, (readonly NewEntry[] | "index")[]]>([
    ["entries without a segment", [webhooks(0, 300)]],
    ["entries of a segment", [webhooks(0, 300), "index"]],
    ["late entries of a segment", [[...webhooks(0, 1), ...webhooks(299, 300)], "index", webhooks(1, 299)]],
  ])("tests of %s", async (_, steps) => {
    const { logs, reader, newIndexer } = await openIndexedLogs(() => now);
    const indexer = newIndexer({ sizes: { smallest: 1, full: 4096, late: 1024, failed: 1024 } });
    for (const step of steps) await (step === "index" ? indexer.indexLog(log) : logs.append(step));
    const seen = pauseCounter();
    const found = await count(reader, watched(seen.step), seen.work);
    expect(found.total.entries).toBe(300);
    expect(seen.most).toBeLessThanOrEqual(8);
  });
});
