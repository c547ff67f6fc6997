import type { Kysely } from "kysely";
import type { DeliveryQueue } from "../deliveries/delivery-queue.js";
import { type DeliveryFilter, findDeliveries } from "../deliveries/find-deliveries.js";
import type { Storage } from "../storage/open-storage.js";
import { openQueue } from "../storage/stores.js";
import type { Tables } from "../storage/tables.js";
import { type Command, CommandError, type Given, UsageError } from "./command.js";
import { needDelivery } from "./deliveries.js";
import { filterOptions, nothingFits, readFilter } from "./delivery-filters.js";
import { needWebhook } from "./need-webhook.js";

// So few are put back within milliseconds, and the service writes in between.
const RETRIED_AT_ONCE = 500;

export const retryCommand: Command = {
  name: "deliveries retry",
  parameters: ["[id]"],
  options: [
    { name: "project", value: "<project>", summary: "all of this project that fit, instead of one" },
    ...filterOptions("only these; by itself failed"),
  ],
  summary: "Sends events once more: one by its id, or those of a project that have failed.",
  help: `They are tried at once by the service, and then as often as new ones.
With --status delivered the receiver gets them again, with the same webhook-id; those that wait need not wait any longer.`,
  async run({ withStorage, now }, [id], given) {
    const projectId = checkChoice(id, given);
    if (projectId === undefined) return withStorage((storage) => retryOne(storage, id ?? "", now));
    const filter = { ...readFilter(given, now(), "failed"), projectId };
    return withStorage(async (storage) => {
      await needReceiver(storage.query, projectId);
      const retried = await retryAll(storage, filter, now);
      return {
        text: retried === 0 ? nothingFits(filter) : `Tried again from now on: ${retried} of ${projectId}.`,
        json: { project_id: projectId, delivery_id: null, retried },
      };
    });
  },
};

/** Makes sure that one thing is asked for: a delivery, or what fits in a project. Gives the project. */
function checkChoice(id: string | undefined, { values }: Given): string | undefined {
  const { project } = values;
  if (id === undefined && project === undefined) {
    throw new UsageError("Say which: the id of a delivery, or --project <project> for those of it that have failed.");
  }
  const [filter] = Object.keys(values);
  if (id !== undefined && filter !== undefined) {
    throw new UsageError(`${id} is one delivery, and --${filter} is for those of a project. Give one of the two.`);
  }
  return project;
}

async function retryOne(storage: Storage, id: string, now: () => number) {
  const { projectId, deliveryId } = await needDelivery(storage.query, id);
  await needReceiver(storage.query, projectId);
  const retried = await queueOf(storage, now).retry([{ projectId, deliveryId }]);
  return {
    text: `Tried again from now on: ${deliveryId} of ${projectId}.`,
    json: { project_id: projectId, delivery_id: deliveryId, retried },
  };
}

async function retryAll(storage: Storage, filter: DeliveryFilter, now: () => number): Promise<number> {
  const queue = queueOf(storage, now);
  let retried = 0;
  let beforeId: string | undefined;
  for (;;) {
    // Further back each time: what has failed again meanwhile is not tried without end.
    const found = await findDeliveries(storage.query, { ...filter, beforeId }, RETRIED_AT_ONCE);
    if (found.length > 0) retried += await queue.retry(found);
    if (found.length < RETRIED_AT_ONCE) return retried;
    beforeId = found.at(-1)?.deliveryId;
  }
}

// Whoever delivers looks for what is due.
const queueOf = (storage: Storage, now: () => number): DeliveryQueue => openQueue(storage, { owner: "", now });

/** Without an address that is on, all would be given up at once. */
async function needReceiver(query: Kysely<Tables>, projectId: string): Promise<void> {
  const { offAt, offReason } = await needWebhook(query, projectId, "event");
  if (offAt === null) return;
  throw new CommandError(
    `The event address of ${projectId} is switched off, as ${offReason}. Set it again first: media-ops webhooks set ${projectId} event <address>`,
  );
}
