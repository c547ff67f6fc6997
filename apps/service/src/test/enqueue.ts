import { CompiledQuery } from "kysely";
import type { NewDelivery } from "../deliveries/delivery-queue.js";
import { dueStatement, enqueueStatement } from "../deliveries/sqlite-delivery-queue.js";
import type { Storage } from "../storage/open-storage.js";

/** Puts deliveries into their projects' queues, as events do that come in. */
export async function enqueue(
  query: Storage["query"],
  deliveries: readonly NewDelivery[],
  { now, owner }: { now: number; owner: string },
): Promise<void> {
  const projectIds = new Set(deliveries.map(({ projectId }) => projectId));
  const statements = [
    ...deliveries.map((delivery) => enqueueStatement(delivery, now)),
    ...[...projectIds].map((projectId) => dueStatement(projectId, { now, owner })),
  ];
  await query.transaction().execute(async (transaction) => {
    for (const { sql, parameters } of statements) {
      await transaction.executeQuery(CompiledQuery.raw(sql, [...parameters]));
    }
  });
}
