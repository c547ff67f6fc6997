import { expect, it } from "vitest";
import { type Circuit, CLOSED, onSent, onTimeout, PAUSE_MS, silenceOf } from "./circuit.js";

const START = Date.parse("2026-11-23T09:00:00Z");
const TIMEOUT_MS = 8000;

// [what happens, how many ms after the start]
type Step = readonly ["sent" | "timeout" | "answer", number];

/** Where a circuit is after these steps. A request that times out was sent 8 s before. */
function after(steps: readonly Step[]): Circuit {
  return steps.reduce<Circuit>((circuit, [step, ms]) => {
    const now = START + ms;
    if (step === "sent") return onSent(circuit, now);
    if (step === "timeout") return onTimeout(circuit, now - TIMEOUT_MS, now);
    return CLOSED;
  }, CLOSED);
}

const opened: Step[] = [
  ["timeout", 8000],
  ["timeout", 17_000],
  ["timeout", 30_000],
];
const retryAt = 30_000 + PAUSE_MS;
/** A silence as the error describes it. */
const told = (silentForMs: number, lastTriedMs: number, retryInMs: number) => ({
  silentForMs,
  lastTriedAt: START + lastTriedMs,
  retryInMs,
});

it.each<[name: string, steps: Step[], atMs: number, silence: ReturnType<typeof told> | undefined]>([
  ["nothing has happened", [], 0, undefined],
  ["two time-outs in a row", opened.slice(0, 2), 17_000, undefined],
  ["the third opens it", opened, 30_000, told(30_000, 22_000, PAUSE_MS)],
  ["it stays open for a pause", opened, retryAt - 1, told(44_999, 22_000, 1)],
  ["then one request may try", opened, retryAt, undefined],
  ["and no second one", [...opened, ["sent", retryAt]], retryAt, told(45_000, retryAt, PAUSE_MS)],
  [
    "its time-out leaves it open, and the next pause runs from when it was sent",
    [...opened, ["sent", retryAt], ["timeout", retryAt + TIMEOUT_MS]],
    retryAt + TIMEOUT_MS,
    told(retryAt + TIMEOUT_MS, retryAt, PAUSE_MS - TIMEOUT_MS),
  ],
  [
    "one that never ends is followed by another after a pause",
    [...opened, ["sent", retryAt]],
    retryAt + PAUSE_MS,
    undefined,
  ],
  ["an answer closes it", [...opened, ["answer", 31_000]], 31_000, undefined],
  [
    "an answer between time-outs starts the count anew",
    [...opened.slice(0, 2), ["answer", 1], ["timeout", 9000]],
    9000,
    undefined,
  ],
  [
    "time-outs that were under way when it opened change nothing",
    [...opened, ["timeout", 31_000]],
    31_000,
    told(31_000, 22_000, PAUSE_MS - 1000),
  ],
  ["a clock that is set back keeps nobody waiting longer", opened, -3_600_000, undefined],
])("whether a service is asked: %s", (_, steps, atMs, silence) => {
  expect(silenceOf(after(steps), START + atMs)).toEqual(silence);
});

it("a pause is longer than a time-out, so that one request at a time tries again", () => {
  expect(PAUSE_MS).toBeGreaterThan(TIMEOUT_MS);
});
