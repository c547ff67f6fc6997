import type { NewDelivery } from "../deliveries/delivery.js";
import type { Storage } from "../storage/open-storage.js";
import { firstIdAt } from "../storage/sorted-ids.js";
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

/** Enqueues an event as of a time, which no process can do by its clock: ids never go back. Returns the id. */
export async function enqueueAt(storage: Storage, delivery: NewDelivery, now: number): Promise<string> {
  const { projectId, eventId } = delivery;
  await enqueue(storage, [delivery], { now, owner: "" });
  const own = storage.query.selectFrom("delivery").where("project_id", "=", projectId).where("event_id", "=", eventId);
  const { delivery_id } = await own.select("delivery_id").executeTakeFirstOrThrow();
  const id = firstIdAt(now) + delivery_id.slice(firstIdAt(now).length);
  await storage.query
    .updateTable("delivery")
    .set({ delivery_id: id })
    .where("project_id", "=", projectId)
    .where("delivery_id", "=", delivery_id)
    .execute();
  return id;
}
