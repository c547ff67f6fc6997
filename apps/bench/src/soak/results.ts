import { quantile } from "../measure.js";
import { type Goal, oursAtMost, type Result, ratioAtMost, tell } from "../report.js";
import type { Deeds } from "./stage.js";
import type { Held } from "./watched.js";
import type { Written } from "./written.js";

/** What both programs held at a moment. */
export interface Sample {
  /** Since the beginning. */
  readonly minute: number;
  readonly service: Held;
  readonly bot: Held;
}

/** All that was seen. */
export interface Seen {
  readonly seconds: number;
  readonly samples: readonly Sample[];
  readonly deeds: Deeds;
  /** How many cores' worth the two programs took. */
  readonly cpu: number;
  readonly faults: readonly unknown[];
  readonly complaints: readonly string[];
  readonly logs: {
    readonly before: Written;
    readonly wanted: Written;
    readonly written: Written;
    readonly different: Pick<Written, "sessions" | "connections">;
  };
}

// Until then caches fill, and code is compiled: what is told begins behind it.
const SETTLED_AT = 0.2;
const WINDOW = 0.2;
const MOST_GROWTH = 1.1;
const EXACTLY: Goal = { text: "= 1", isMet: ({ ratio }) => ratio === 1 };
const programs = ["service", "bot"] as const;
const measures: Readonly<Record<keyof Held, string>> = {
  memory: "memory (RSS), MB",
  heap: "memory of its objects, MB",
  handles: "handles that stay open",
  sockets: "of these, sockets",
};

export function toResults(seen: Seen): Result[] {
  return [...programs.flatMap((program) => growth(seen, program)), ...faultless(seen), ...nothingLost(seen)];
}

function growth({ samples, seconds }: Seen, program: (typeof programs)[number]): Result[] {
  const minutes = seconds / 60;
  const within = (from: number, until: number): Sample[] =>
    samples.filter(({ minute }) => minute > from * minutes && minute <= until * minutes * 1.01);
  const [first, last, all] = [within(SETTLED_AT, SETTLED_AT + WINDOW), within(1 - WINDOW, 1), within(SETTLED_AT, 1)];
  const length = (WINDOW * minutes).toFixed(1);
  return (Object.keys(measures) as (keyof Held)[]).map((held) => {
    const median = (some: readonly Sample[]): number =>
      quantile(
        some.map((sample) => sample[program][held]),
        0.5,
      );
    const slope = slopeOf(all.map((sample) => [sample.minute, sample[program][held]]));
    return tell(
      {
        name: "soak",
        measure: `${program}: ${measures[held]}`,
        against: `itself after ${(SETTLED_AT * minutes).toFixed(1)} minutes`,
        goal: ratioAtMost(MOST_GROWTH),
        note: `medians of the last and the first ${length} minutes, without the ${(SETTLED_AT * minutes).toFixed(1)} in which caches fill; ${slope.toFixed(2)} a minute`,
      },
      median(last),
      median(first),
    );
  });
}

function faultless({ seconds, deeds, cpu, faults, complaints }: Seen): Result[] {
  const { sums, listed, minted, answers } = deeds;
  const events = Object.values(sums.events).reduce((sum, { sent }) => sum + sent, 0);
  const perSecond = (count: number): string => (count / seconds).toFixed(1);
  const done = `a second: ${perSecond(events)} events and their webhooks, ${perSecond(sums.allowed)} admissions, ${perSecond(listed)} listings of 1000, ${perSecond(minted)} tokens, ${perSecond(answers)} answers of the bot`;
  const row = (measure: string, count: number, note: string): Result =>
    tell({ name: "soak", measure, against: "–", goal: oursAtMost(0, "of them"), note }, count);
  return [
    row("errors in answers, all of which are checked", faults.length, `${done}; both took ${cpu.toFixed(2)} of a core`),
    row("lines of warnings and errors in both logs", complaints.length, "all that was said but at the level info"),
  ];
}

function nothingLost({ logs: { before, wanted, written, different } }: Seen): Result[] {
  const row = (log: string, against: string, own: number, theirs: number): Result =>
    tell({ name: "soak", measure: `${log}: entries written`, against, goal: EXACTLY }, own, theirs);
  return [
    row("sessions", "acknowledged ends", written.sessions - before.sessions, wanted.sessions),
    row("sessions, each once", "acknowledged ends", different.sessions, wanted.sessions),
    row("connections", "acknowledged ends", written.connections - before.connections, wanted.connections),
    row("connections, each once", "acknowledged ends", different.connections, wanted.connections),
    row("api", "answered calls", written.api - before.api, wanted.api),
    row("webhooks", "different events that arrived", written.webhooks - before.webhooks, wanted.webhooks),
  ];
}

/** By how much the second grows with the first, by least squares. */
function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const shared = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return shared / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}
