import { createHash } from "node:crypto";
import { startReceiver } from "./receiver.js";

/** A receiver that fails some webhooks on their first try. */
interface FailingReceiver {
  readonly url: string;
  /** When each webhook arrived, by its id. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
}

export async function startFailingReceiver(): Promise<FailingReceiver> {
  const arrivals = new Map<string, number[]>();
  const { url } = await startReceiver(({ id }) => {
    const times = arrivals.get(id) ?? [];
    arrivals.set(id, times);
    times.push(performance.now());
    const isUnlucky = (createHash("sha256").update(id).digest()[0] ?? 0) % 16 === 0;
    if (times.length === 1 && isUnlucky) return { status: 500 };
    return {};
  });
  return { url, arrivals };
}
