import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createJobs } from "./jobs.js";

const never = (error: unknown): void => {
  throw error;
};

function withClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const begun: number[] = [];
  return { jobs: createJobs(never), begun };
}

describe("jobs", () => {
  it("are all done when they have settled, however many there are", async () => {
    const jobs = createJobs(never);
    let done = 0;
    for (let at = 0; at < 100; at++) {
      jobs.add(async () => {
        await Promise.resolve();
        done++;
      });
    }
    expect(jobs.size).toBe(100);
    await jobs.settled();
    expect([done, jobs.size]).toEqual([100, 0]);
  });

  it("begin when all that come in the same moment have come, also where these are more than are done at once", async () => {
    const { jobs, begun } = withClock();
    for (let at = 0; at < 40; at++) {
      jobs.add(async () => void begun.push(at));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(40);
  });

  it("begin though others never cease to come", async () => {
    const { jobs, begun } = withClock();
    for (let at = 0; at < 102; at++) {
      jobs.add(async () => void begun.push(at), { of: `T${at}` });
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(begun).toContain(0);
  });

  it("begin at once where they are urgent, whatever else waits", async () => {
    const jobs = createJobs(never);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (let at = 0; at < 100; at++) jobs.add(() => held);
    await new Promise<void>((resolve) => {
      jobs.add(async () => resolve(), { urgent: true });
    });
    release();
    await jobs.settled();
  });

  it("of one workspace do not wait for those of another", async () => {
    const jobs = createJobs(never);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (let at = 0; at < 100; at++) jobs.add(() => held, { of: "T1" });
    await new Promise<void>((resolve) => {
      jobs.add(async () => resolve(), { of: "T2" });
    });
    release();
    await jobs.settled();
    expect(jobs.size).toBe(0);
  });

  it("go on after one of them failed, which is told", async () => {
    const faults: unknown[] = [];
    const jobs = createJobs((error) => void faults.push(error));
    const fault = new Error("broken");
    let done = 0;
    for (let at = 0; at < 40; at++) {
      jobs.add(async () => {
        if (at % 2 === 0) throw fault;
        done++;
      });
    }
    await jobs.settled();
    expect([done, faults.length, faults[0]]).toEqual([20, 20, fault]);
  });
});
