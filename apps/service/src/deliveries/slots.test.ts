import { describe, expect, it } from "vitest";
import { DeliverySlots, type Slot } from "./deliverer.js";

const QUICK_MS = 5;
const SLOW_MS = 1001;

function startSlots(atOnce = 500) {
  let time = 0;
  const slots = new DeliverySlots({ atOnce, now: () => time });
  const handedOver: { project: string; slot: Slot }[] = [];
  /** Takes all slots that a project may have now. */
  const takeAll = (project: string, most = 20): Slot[] => {
    const taken: Slot[] = [];
    while (taken.length < most) {
      const slot = slots.take(project, (handed) => void handedOver.push({ project, slot: handed }));
      if (!slot) break;
      taken.push(slot);
    }
    return taken;
  };
  const answer = (project: string, answerMs: number | undefined): void => {
    for (const slot of takeAll(project)) slot.release(answerMs);
  };
  const pass = (ms: number): void => {
    time += ms;
  };
  return { slots, handedOver, takeAll, answer, pass };
}

type Made = ReturnType<typeof startSlots>;

const projects = (count: number): string[] => Array.from({ length: count }, (_, at) => `p${at}`);

/** Each project in turn takes all slots that it may have; then one more project does. */
function takeInTurn({ takeAll }: Made, count: number): { held: number[]; next: number } {
  const held = projects(count).map((project) => takeAll(project).length);
  return { held, next: takeAll("next").length };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe("of 500 slots", () => {
  it.each([
    { count: 1, sum: 2, next: 2 },
    { count: 40, sum: 80, next: 2 },
    { count: 100, sum: 175, next: 1 },
    { count: 200, sum: 275, next: 1 },
  ])("$count projects that have not answered yet hold $sum, and the next one gets $next", ({ count, ...expected }) => {
    const { held, next } = takeInTurn(startSlots(), count);
    expect({ sum: sum(held), next }).toEqual(expected);
    expect(Math.min(...held)).toBeGreaterThanOrEqual(1);
  });

  it.each([
    { count: 1, sum: 20, next: 2 },
    { count: 10, sum: 152, next: 1 },
    { count: 40, sum: 182, next: 1 },
    { count: 150, sum: 292, next: 1 },
  ])(
    "$count projects that hang after quick answers hold $sum, and the next one gets $next",
    ({ count, ...expected }) => {
      const made = startSlots();
      for (const project of projects(count)) made.answer(project, QUICK_MS);
      const { held, next } = takeInTurn(made, count);
      expect({ sum: sum(held), next }).toEqual(expected);
      expect(Math.min(...held)).toBeGreaterThanOrEqual(1);
    },
  );
});

it("projects with slow receivers and constant load converge to equal shares", () => {
  const made = startSlots();
  const names = projects(40);
  for (const project of names) made.answer(project, SLOW_MS);
  const held = new Map(names.map((project) => [project, made.takeAll(project)]));
  expect(Math.max(...[...held.values()].map(({ length }) => length))).toBe(20);
  for (let round = 0; round < 40; round++) {
    for (const [project, own] of held) {
      own.shift()?.release(SLOW_MS);
      for (const { project: waited, slot } of made.handedOver.splice(0)) held.get(waited)?.push(slot);
      own.push(...made.takeAll(project, 20 - own.length));
    }
  }
  expect([...held.values()].map(({ length }) => length)).toEqual(names.map(() => 5));
});

describe("a project's slots come from the slow share", () => {
  it.each<[string, (made: Made) => void, boolean]>([
    ["not if its receiver is unknown", () => {}, false],
    ["if its last answer was slow", ({ answer }) => answer("p", SLOW_MS), true],
    [
      "if its last answer was slow and it was idle since",
      ({ slots, answer }) => {
        answer("p", SLOW_MS);
        slots.idle("p");
      },
      true,
    ],
    [
      "if one of its deliveries has been in flight for long",
      ({ takeAll, pass }) => {
        takeAll("p");
        pass(SLOW_MS);
      },
      true,
    ],
    [
      "not if its receiver is quick again",
      ({ answer }) => {
        answer("p", SLOW_MS);
        answer("p", QUICK_MS);
      },
      false,
    ],
    [
      "also after a slot without a request",
      ({ answer }) => {
        answer("p", SLOW_MS);
        answer("p", undefined);
      },
      true,
    ],
  ])("%s", (_, prepare, isSlow) => {
    const made = startSlots();
    prepare(made);
    // Once the quick share is used up, only the slow one has free slots.
    for (const project of projects(300)) made.slots.take(`other-${project}`, () => {});
    expect(made.takeAll("p").length > 0).toBe(isSlow);
  });
});

it("freed slots go to the projects that hold none, in the order in which they started to wait", () => {
  const { handedOver, takeAll } = startSlots(3);
  const [first] = takeAll("a");
  const [second] = takeAll("b");
  for (const project of ["a", "c", "d", "c"]) expect(takeAll(project)).toEqual([]);
  first?.release(QUICK_MS);
  expect(handedOver.map(({ project }) => project)).toEqual(["c"]);
  // A project that got a slot goes to the end of the line.
  expect(takeAll("a")).toEqual([]);
  second?.release(QUICK_MS);
  expect(handedOver.map(({ project }) => project)).toEqual(["c", "d"]);
});

it("slots held by quick projects do not delay slow ones, nor the other way round", () => {
  const made = startSlots(2);
  made.answer("slow", SLOW_MS);
  expect(made.takeAll("quick")).toHaveLength(1);
  expect(made.takeAll("slow")).toHaveLength(1);
  expect(made.takeAll("other")).toHaveLength(0);
});
