import { expect, it, onTestFinished } from "vitest";
import { type Chore, startChores } from "./chores.js";
import { createLog } from "./log.js";

const HOUR_MS = 3_600_000;

function keep(...chores: Chore[]) {
  const lines: string[] = [];
  const end = startChores(chores, createLog({ level: "info", to: { write: (line) => void lines.push(line) } }));
  onTestFinished(end);
  return { end, logged: () => lines.join("") };
}

it("runs each chore at once, and then repeatedly", async () => {
  const done: string[] = [];
  const chore = (name: string, everyMs: number): Chore => ({
    name,
    everyMs,
    run: async () => void done.push(name),
  });
  keep(chore("often", 1), chore("seldom", HOUR_MS));
  await expect.poll(() => done.filter((name) => name === "often").length).toBeGreaterThan(3);
  expect(done.filter((name) => name === "seldom")).toHaveLength(1);
});

it("runs one chore after another", async () => {
  let underWay = 0;
  let most = 0;
  let times = 0;
  const run = async (): Promise<void> => {
    most = Math.max(most, ++underWay);
    await new Promise((done) => setTimeout(done, 1));
    underWay -= 1;
    times += 1;
  };
  keep({ name: "one", everyMs: 1, run }, { name: "another", everyMs: 1, run });
  await expect.poll(() => times).toBeGreaterThan(5);
  expect(most).toBe(1);
});

it("logs and retries a chore that fails, without blocking the others", async () => {
  const done: string[] = [];
  const { logged } = keep(
    {
      name: "forgetting old places",
      everyMs: 1,
      run: async () => {
        done.push("failing");
        throw new Error("the disk is full");
      },
    },
    { name: "another", everyMs: 1, run: async () => void done.push("another") },
  );
  await expect.poll(() => done.filter((name) => name === "failing").length).toBeGreaterThan(1);
  await expect.poll(() => done).toContain("another");
  expect(logged()).toMatch(/the disk is full.*forgetting old places failed; trying again/);
});

it("aborts the running chore when stopped, waits for it, and starts no other", async () => {
  const done: string[] = [];
  const { end } = keep(
    {
      name: "long",
      everyMs: 1,
      run: async (signal) => {
        done.push("begun");
        if (!signal.aborted) await new Promise((aborted) => signal.addEventListener("abort", aborted));
        await new Promise((ended) => setTimeout(ended, 10));
        done.push("ended");
      },
    },
    { name: "another", everyMs: HOUR_MS, run: async (signal) => void done.push(`another, aborted: ${signal.aborted}`) },
  );
  await expect.poll(() => done).toEqual(["begun"]);
  await end();
  const atTheEnd = [...done];
  expect(atTheEnd.slice(0, 2)).toEqual(["begun", "ended"]);
  await new Promise((passed) => setTimeout(passed, 20));
  expect(done).toEqual(atTheEnd);
});
