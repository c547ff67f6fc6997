import type { ServiceProcess } from "./service-process.js";

/** How long answers took by the service's own clock. */
export class AnswerTimes {
  /** How many took at most so many seconds. */
  readonly #counts: ReadonlyMap<string, number>;

  constructor(counts: ReadonlyMap<string, number>) {
    this.#counts = counts;
  }

  since(before: AnswerTimes): AnswerTimes {
    return new AnswerTimes(
      new Map([...this.#counts].map(([le, count]) => [le, count - (before.#counts.get(le) ?? 0)])),
    );
  }

  /** Percent of the answers; a bound is one that the service's histogram has. */
  within(ms: number): number {
    const [count, all] = [this.#counts.get(String(ms / 1000)), this.#counts.get("+Inf")];
    return count !== undefined && all ? (count / all) * 100 : Number.NaN;
  }
}

/** Reads the service's metrics of one operation. */
export async function answerTimesOf({ insideUrl }: ServiceProcess, path: string): Promise<AnswerTimes> {
  const text = await (await fetch(`${insideUrl}/metrics`)).text();
  const counts = new Map<string, number>();
  for (const [, labels = "", count] of text.matchAll(/^media_answer_seconds_bucket\{(.*)\} (\d+)$/gm)) {
    const le = /le="([^"]+)"/.exec(labels)?.[1];
    if (le && labels.includes(`path="${path}"`)) counts.set(le, Number(count));
  }
  return new AnswerTimes(counts);
}
