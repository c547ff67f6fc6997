import type { Service } from "@media-ops/service";
import type { PastDelivery } from "./past-log.js";
import { HOUR } from "./span.js";

// As the service does.
const DELIVERED_KEPT_MS = 24 * HOUR;
const GIVEN_UP = "The project's event address is switched off: the receiver answered 410 Gone.";

/** Stores deliveries as the service would have, so that the failed ones can be sent again. */
export async function addDeliveries(
  { query }: Pick<Service["storage"], "query">,
  projectId: string,
  deliveries: readonly PastDelivery[],
  now: number,
): Promise<void> {
  const kept = deliveries.filter(
    ({ state, nextOrEndedAt }) => state !== "delivered" || nextOrEndedAt > now - DELIVERED_KEPT_MS,
  );
  const rows = kept.map(({ eventId, type, at, body, state, attempts, nextOrEndedAt }, nth) => {
    const isWaiting = state === "waiting";
    return {
      project_id: projectId,
      delivery_id: deliveryId(at, nth),
      event_id: eventId,
      type,
      lane: eventId,
      body,
      state,
      tries: attempts.length,
      created_at: at,
      next_at: isWaiting ? nextOrEndedAt : null,
      ended_at: isWaiting ? null : nextOrEndedAt,
      last_status: attempts.at(-1)?.status ?? null,
      last_fault: state === "failed" ? GIVEN_UP : null,
      attempts: attempts.map(({ at, status }) => `${at}:${status}`).join(","),
    };
  });
  await query.transaction().execute(async (transaction) => {
    // Those of an interrupted attempt.
    await transaction.deleteFrom("delivery").where("project_id", "=", projectId).execute();
    await transaction.insertInto("delivery").values(rows).execute();
    // Due at once: the service then finds out by itself when the next one is due.
    await transaction
      .insertInto("delivery_queue")
      .values({ project_id: projectId, due_at: now, owner: "", owned_until: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** An id that sorts by time, in the service's format. */
function deliveryId(at: number, nth: number): string {
  return [at.toString(36).padStart(9, "0"), nth.toString(36).padStart(4, "0"), "playgr"].join("");
}
