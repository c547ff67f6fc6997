import { expect, it } from "vitest";
import { createJobs } from "./jobs.js";
import { untilDone } from "./until-done.js";

/** Work that fails so often; what it was told of that. */
function failing(times: number, attempts: number) {
  const faults: string[] = [];
  let tries = 0;
  let done = 0;
  const run = async (): Promise<void> => {
    tries += 1;
    if (tries <= times) throw new Error(`fault ${tries}`);
    done += 1;
  };
  const onFault = (error: unknown, isTriedAgain: boolean): void => {
    faults.push(`${error instanceof Error ? error.message : error}${isTriedAgain ? ", again" : ", given up"}`);
  };
  const jobs = createJobs((error) => faults.push(`nobody was told of ${error}`));
  untilDone(jobs, run, onFault, { firstMs: 1, attempts });
  return { faults, done: () => done, tries: () => tries };
}

it("work that fails at first is tried again until it is done, and then no more", async () => {
  const { faults, done, tries } = failing(3, 5);
  await expect.poll(done).toBe(1);
  expect(faults).toEqual(["fault 1, again", "fault 2, again", "fault 3, again"]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(tries()).toBe(4);
});

it("work that never goes well is given up at last, which is told", async () => {
  const { faults, done } = failing(9, 3);
  await expect.poll(() => faults.at(-1)).toBe("fault 3, given up");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(faults).toHaveLength(3);
  expect(done()).toBe(0);
});
