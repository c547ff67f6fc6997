import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLiveIncident } from "./live.js";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function start() {
  const receiver = { setFailing: vi.fn() };
  const life = { visit: vi.fn() };
  const pace = { failsMs: 10_000, recoversMs: 5_000, visitEveryMs: 1_000, watchedOver: "10s" };
  const incident = createLiveIncident(pace, receiver, life);
  const heard: (number | undefined)[] = [];
  const unwatch = incident.watch(() => heard.push(incident.until));
  return { incident, receiver, life, heard, unwatch };
}

it("fails for its time while clients come and go, which they do for a while longer", () => {
  const { incident, receiver, life, heard } = start();
  expect(incident.until).toBeUndefined();
  incident.begin();
  expect([incident.until, receiver.setFailing.mock.lastCall]).toEqual([1_010_000, [true]]);
  vi.advanceTimersByTime(9_999);
  expect([incident.until, life.visit.mock.calls.length]).toEqual([1_010_000, 9]);
  vi.advanceTimersByTime(1);
  expect([incident.until, receiver.setFailing.mock.lastCall]).toEqual([undefined, [false]]);
  vi.advanceTimersByTime(60_000);
  expect([life.visit.mock.calls.length, vi.getTimerCount()]).toEqual([15, 0]);
  expect(heard).toEqual([1_010_000, undefined]);
});

it("can begin again once it is over, but not while it goes on", () => {
  const { incident, life, heard, unwatch } = start();
  incident.begin();
  vi.advanceTimersByTime(8_000);
  incident.begin();
  expect(incident.until).toBe(1_010_000);
  vi.advanceTimersByTime(4_000);
  incident.begin();
  expect(incident.until).toBe(1_022_000);
  unwatch();
  // The clients of the first one don't come in addition.
  life.visit.mockClear();
  vi.advanceTimersByTime(60_000);
  expect(life.visit.mock.calls).toHaveLength(15);
  expect(heard).toEqual([1_010_000, undefined, 1_022_000]);
});

it("leaves no timers when it is stopped", () => {
  const { incident, life } = start();
  incident.begin();
  incident.stop();
  vi.advanceTimersByTime(60_000);
  expect([life.visit.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
});
