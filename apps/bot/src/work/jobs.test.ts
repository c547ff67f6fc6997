import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createJobs, createTurns, type Turn, type Turns, untilDone } from "./jobs.js";

const never = (error: unknown): void => {
  throw error;
};

function withClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const begun: number[] = [];
  return { jobs: createJobs(never), begun };
}

/** A promise that is kept when it is released. */
function hold() {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

/** Resolves once a job with these options has run. */
const ran = (jobs: ReturnType<typeof createJobs>, options: Parameters<typeof jobs.add>[1]) =>
  new Promise<void>((resolve) => {
    jobs.add(async () => resolve(), options);
  });

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("jobs", () => {
  it("start after a burst of requests, even if it is larger than the number of slots", async () => {
    const { jobs, begun } = withClock();
    for (let at = 0; at < 40; at++) {
      jobs.add(async () => void begun.push(at));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toHaveLength(40);
  });

  it("start even if requests never pause", async () => {
    const { jobs, begun } = withClock();
    for (let at = 0; at < 102; at++) {
      jobs.add(async () => void begun.push(at), { of: `T${at}` });
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(begun).toContain(0);
  });

  it.each([
    ["start at once if they are urgent, before all waiting jobs", { of: "T1", urgent: true }],
    ["of one workspace do not wait for those of another", { of: "T2" }],
  ])("%s", async (_, options) => {
    const jobs = createJobs(never);
    const { held, release } = hold();
    for (let at = 0; at < 100; at++) jobs.add(() => held, { of: "T1" });
    await ran(jobs, options);
    release();
    await jobs.settled();
    expect(jobs.size).toBe(0);
  });

  it("of one person do not delay a colleague's, in any number", async () => {
    const jobs = createJobs(never);
    const begun: string[] = [];
    const add = (by: string) =>
      jobs.add(
        async () => {
          begun.push(by);
          await later();
        },
        { of: "T1", by },
      );
    for (let at = 0; at < 100; at++) add("ann");
    add("bob");
    await jobs.settled();
    expect(begun.indexOf("bob")).toBeLessThan(16);
    expect(begun).toHaveLength(101);
  });

  it("that wait for a service let other jobs run", async () => {
    const jobs = createJobs(never);
    const { held: elsewhere, release: answer } = hold();
    let done = 0;
    for (let at = 0; at < 100; at++) {
      jobs.add(
        async (aside) => {
          await aside(() => elsewhere);
          done++;
        },
        { of: "T1", by: "ann" },
      );
    }
    for (const by of ["ann", "bob"]) await ran(jobs, { of: "T1", by });
    expect(done).toBe(0);
    answer();
    await jobs.settled();
    expect([done, jobs.size]).toEqual([100, 0]);
  });

  it("that wait for several services, and fail at the first, leave their slots to later jobs", async () => {
    const faults: unknown[] = [];
    const jobs = createJobs((error) => void faults.push(error));
    for (let at = 0; at < 40; at++) {
      jobs.add(
        async (aside) => {
          const fail = async () => Promise.reject(new Error("broken"));
          await Promise.all([aside(fail), aside(later), aside(() => later().then(later))]);
        },
        { of: "T1", by: "ann" },
      );
    }
    await jobs.settled();
    expect(faults).toHaveLength(40);
    let underWay = 0;
    let most = 0;
    for (let at = 0; at < 40; at++) {
      jobs.add(
        async () => {
          most = Math.max(most, ++underWay);
          await later();
          underWay--;
        },
        { of: "T1", by: "ann" },
      );
    }
    await jobs.settled();
    expect(most).toBe(8);
  });

  it("are refused beyond a limit per person, per workspace and in total, and accepted again later", async () => {
    const jobs = createJobs(never, { perPerson: 2, perWorkspace: 3, total: 5 });
    const { held, release } = hold();
    const add = (of: string | undefined, by: string, urgent = false) =>
      jobs.add(() => held, { ...(of !== undefined && { of }), by, urgent });
    expect([add("T1", "ann"), add("T1", "ann"), add("T1", "ann")]).toEqual([true, true, false]);
    expect([add("T1", "bob"), add("T1", "bob"), add("T1", "bob", true)]).toEqual([true, false, true]);
    expect([add("T2", "cem"), add("T2", "cem"), add("T2", "cem", true)]).toEqual([true, false, false]);
    expect(add(undefined, "")).toBe(true);
    release();
    await jobs.settled();
    expect(add("T1", "ann")).toBe(true);
    await jobs.settled();
  });

  it("continue after one of them failed, and the error is reported", async () => {
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

/** The faults that are reported of a job that fails this many times, and how often it was tried. */
async function failing(times: number, attempts: number) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const faults: string[] = [];
  let tries = 0;
  const run = async (): Promise<void> => {
    tries += 1;
    if (tries <= times) throw new Error(`fault ${tries}`);
  };
  const jobs = createJobs((error) => faults.push(`nobody was told of ${error}`));
  const onFault = (error: unknown, isTriedAgain: boolean): void => {
    faults.push(`${error instanceof Error ? error.message : error}${isTriedAgain ? ", again" : ", given up"}`);
  };
  untilDone(jobs, run, onFault, { attempts });
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  return { faults, tries };
}

it.each([
  ["is retried until it succeeds", 3, 5, ["fault 1, again", "fault 2, again", "fault 3, again"], 4],
  ["and never succeeds is given up in the end", 9, 3, ["fault 1, again", "fault 2, again", "fault 3, given up"], 3],
])("a job that fails %s, and each fault is reported", async (_, times, attempts, faults, tries) => {
  expect(await failing(times, attempts)).toEqual({ faults, tries });
});

/** Joins as several people, one letter each; returns the started turns, and a function that ends the oldest. */
function join(turns: Turns, people: string) {
  const begun: string[] = [];
  const under: Turn[] = [];
  const add = (who: string, first = false): Turn => {
    const turn = turns.join(who, { first });
    void turn.ready.then(() => {
      begun.push(who);
      under.push(turn);
    });
    return turn;
  };
  const all = [...people].map((who) => add(who));
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    all,
    add,
    async begun() {
      await settle();
      return begun.join("");
    },
    async endOldest() {
      await settle();
      under.shift()?.end();
    },
  };
}

describe("turns", () => {
  it.each([
    ["one person's many turns do not delay a colleague's", "aaaaab", { atOnce: 1, perPerson: 1 }, "aabaaa"],
    ["three people take turns", "aaabbbccc", { atOnce: 1, perPerson: 1 }, "aabcabcbc"],
    ["the turns of one person keep their order", "aaa", { atOnce: 2, perPerson: 2 }, "aaa"],
    ["a newcomer waits for at most one round", "aabbc", { atOnce: 1, perPerson: 1 }, "aabcb"],
  ])("%s", async (_, people, options, order) => {
    const turns = createTurns(options);
    const line = join(turns, people);
    for (let at = 0; at < people.length; at++) await line.endOldest();
    expect(await line.begun()).toBe(order);
    expect(turns.isIdle).toBe(true);
  });

  it("leaving the line takes no slot, and ending twice frees only one", async () => {
    const turns = createTurns({ atOnce: 1, perPerson: 1 });
    const line = join(turns, "abbc");
    line.all[1]?.end();
    line.all[1]?.end();
    expect([turns.waiting(), turns.waiting("b")]).toEqual([2, 1]);
    line.all[0]?.end();
    line.all[0]?.end();
    expect(await line.begun()).toBe("ab");
    line.all[2]?.end();
    line.all[3]?.end();
    expect(turns.isIdle).toBe(true);
  });

  it("a turn with `first` precedes only the same person's other turns", async () => {
    const turns = createTurns({ atOnce: 1, perPerson: 1 });
    const line = join(turns, "aab");
    const [running, second] = line.all;
    line.add("a", true);
    running?.end();
    expect(await line.begun()).toBe("aa");
    expect(turns.waiting("a")).toBe(1);
    second?.end();
    expect(turns.waiting("a")).toBe(0);
  });
});
