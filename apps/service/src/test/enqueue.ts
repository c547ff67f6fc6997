import type { NewDelivery } from "../deliveries/delivery.js";
import type { Storage } from "../storage/open-storage.js";
import { openStores } from "../stores.js";

/** Puts deliveries into their projects' queues, as received events do. */
export async function enqueue(
  storage: Storage,
  deliveries: readonly NewDelivery[],
  { now, owner }: { now: number; owner: string },
): Promise<void> {
  const { intake } = await openStores(storage, { now: () => now, owner });
  await intake.write(deliveries.map((delivery) => ({ delivery })));
}
