import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idFor, randomFor } from "./random.js";
import { createStamps, Timeline } from "./timeline.js";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

describe("random draws", () => {
  it("are the same for the same purpose, and differ for another", () => {
    const draw = (...purpose: (string | number)[]): number[] => {
      const random = randomFor(...purpose);
      return Array.from({ length: 20 }, () => random.next());
    };
    expect(draw(1, "a")).toEqual(draw(1, "a"));
    expect(draw(1, "a")).not.toEqual(draw(2, "a"));
    expect(draw(1, "a")).not.toEqual(draw("1", "a"));
  });

  it("are distributed evenly", () => {
    const random = randomFor("spread");
    const counts = new Map<number, number>();
    for (let i = 0; i < 60_000; i++) {
      const drawn = random.int(1, 6);
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe("ids", () => {
  it("are UUIDv4 in Base32", () => {
    for (let i = 0; i < 500; i++) {
      const id = idFor("test", i);
      expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
      const bits = [...id].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
      expect(bits.slice(48, 52)).toBe("0100");
      expect(bits.slice(64, 66)).toBe("10");
      expect(bits.slice(128)).toBe("00");
    }
  });

  it("are unique", () => {
    expect(new Set(Array.from({ length: 5000 }, (_, i) => idFor(1, "event", i))).size).toBe(5000);
  });
});

describe("timestamps", () => {
  it("have six digits, and increase even if the clock stops or goes back", () => {
    let now = Date.UTC(2026, 3, 1, 9, 30, 15, 482);
    const stamp = createStamps(() => now);
    expect(stamp()).toEqual({ text: "2026-04-01T09:30:15.482000Z", seconds: 1775035815 });
    expect(stamp().text).toBe("2026-04-01T09:30:15.482001Z");
    now -= 1000;
    expect(stamp().text).toBe("2026-04-01T09:30:15.482002Z");
    now += 2000.25;
    expect(stamp()).toEqual({ text: "2026-04-01T09:30:16.482250Z", seconds: 1775035816 });
  });
});

describe("virtual time", () => {
  it("runs due actions in order, one after another, and only on request", async () => {
    const timeline = new Timeline("virtual");
    const done: string[] = [];
    const note = (name: string) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      done.push(`${name} at ${timeline.time()}`);
    };
    timeline.after(30, note("c"));
    timeline.after(10, note("a"));
    timeline.after(10, note("b"));
    timeline.after(20, async () => timeline.after(5, note("d")));
    await timeline.pass(25);
    expect(done).toEqual(["a at 10", "b at 10", "d at 25"]);
    await timeline.pass(5);
    expect(done.at(-1)).toBe("c at 30");
    expect(timeline.time()).toBe(30);
  });

  it("keeps the order of any number of actions", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 50 }), { maxLength: 200 }), async (delays) => {
        const timeline = new Timeline("virtual");
        const done: [number, number][] = [];
        delays.forEach((ms, order) => {
          timeline.after(ms, async () => void done.push([ms, order]));
        });
        await timeline.pass(50);
        const expected = delays.map((ms, order): [number, number] => [ms, order]);
        expect(done).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
      }),
    );
  });

  it("stops if the signal aborts", async () => {
    const timeline = new Timeline("virtual");
    const stop = new AbortController();
    let isLate = false;
    timeline.after(1, async () => stop.abort());
    timeline.after(2, async () => {
      isLate = true;
    });
    await timeline.pass(10, stop.signal);
    expect([isLate, timeline.time()]).toEqual([false, 1]);
  });
});

describe.each(["virtual", "real"] as const)("%s time", (kind) => {
  it("runs actions that may be hurried at once, in order, and keeps the rest", async () => {
    const timeline = new Timeline(kind);
    const done: number[] = [];
    for (const ms of [300_000, 100_000, 200_000]) {
      timeline.after(ms, async () => void done.push(ms), { canHurry: true });
      timeline.after(ms, async () => void done.push(-ms));
    }
    expect(await timeline.hurry()).toBe(true);
    expect(done).toEqual([100_000, 200_000, 300_000]);
    expect(await timeline.hurry()).toBe(false);
    timeline.stop();
  });
});

describe("real time", () => {
  it("runs due actions, and an action added later may run first", async () => {
    const timeline = new Timeline("real");
    const done: string[] = [];
    await new Promise<void>((resolve) => {
      timeline.after(20, async () => {
        done.push("second");
        resolve();
      });
      timeline.after(1, async () => void done.push("first"));
    });
    expect(done).toEqual(["first", "second"]);
    timeline.stop();
  });

  it("drops all actions when it is stopped", async () => {
    const timeline = new Timeline("real");
    let isDone = false;
    const note = async (): Promise<void> => {
      isDone = true;
    };
    timeline.after(1, note);
    timeline.stop();
    timeline.after(1, note);
    await timeline.pass(20);
    expect(isDone).toBe(false);
  });
});
