import type { NewDelivery } from "../../deliveries/delivery.js";
import type { Storage } from "../../storage/open-storage.js";
import { firstIdAt } from "../../storage/sorted-ids.js";
import { enqueue } from "../../test/enqueue.js";

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
