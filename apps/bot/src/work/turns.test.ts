import { describe, expect, it } from "vitest";
import { createTurns, type Turn, type Turns } from "./jobs.js";

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
