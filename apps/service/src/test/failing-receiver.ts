import { createHash } from "node:crypto";
import { startReceiver } from "./receiver.js";

/** A receiver that fails some webhooks on their first try. */
interface FailingReceiver {
  readonly url: string;
  /** When each webhook that arrived had been sent, in ms since 1970, by its id. */
  readonly sent: ReadonlyMap<string, readonly number[]>;
  /** The ids of the accepted webhooks. */
  readonly taken: ReadonlySet<string>;
}

export async function startFailingReceiver(): Promise<FailingReceiver> {
  const sent = new Map<string, number[]>();
  const taken = new Set<string>();
  const { url } = await startReceiver(({ id, headers }) => {
    const times = sent.get(id) ?? [];
    sent.set(id, times);
    times.push(Number(headers["webhook-timestamp"]) * 1000);
    const isUnlucky = (createHash("sha256").update(id).digest()[0] ?? 0) % 16 === 0;
    if (times.length === 1 && isUnlucky) return { status: 500 };
    taken.add(id);
    return {};
  });
  return { url, sent, taken };
}
