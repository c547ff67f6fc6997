import type { Kysely } from "kysely";
import type { DeliveryQueue } from "../deliveries/delivery-queue.js";
import { changeDeliveries, isQueueOwned } from "../deliveries/find-deliveries.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { openQueue } from "../stores.js";
import { type Command, CommandError, type Given, UsageError } from "./command.js";
import { needDelivery } from "./deliveries.js";
import { filterOptions, nothingFits, readFilter } from "./delivery-filters.js";
import { needWebhook } from "./need-webhook.js";

export const retryCommand: Command = {
  name: "deliveries retry",
  parameters: ["[id]"],
  options: [
    { name: "project", value: "<project>", summary: "all of this project that fit, instead of one" },
    ...filterOptions("only these; by itself failed"),
  ],
  summary: "Sends events once more: one by its id, or those of a project that have failed.",
  help: `A service that runs tries them within a second, and then as often as new ones. If none runs, the next one does.
With --status delivered the receiver gets them again, with the same webhook-id; those that wait need not wait any longer.`,
  async run({ withStorage, now }, [id], given) {
    const projectId = checkChoice(id, given);
    if (projectId === undefined) return withStorage((storage) => retryOne(storage, id ?? "", now));
    const filter = { ...readFilter(given, now(), "failed"), projectId };
    return withStorage(async (storage) => {
      await needReceiver(storage.query, projectId);
      const queue = queueOf(storage, now);
      const retried = await changeDeliveries(storage.query, filter, (found) => queue.retry(found));
      return {
        text:
          retried === 0
            ? nothingFits(filter)
            : `Put back: ${retried} of ${projectId}. ${await whenTried(storage.query, projectId, now())}`,
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
  const { query } = storage;
  const { projectId, deliveryId } = await needDelivery(query, id);
  await needReceiver(query, projectId);
  const retried = await queueOf(storage, now).retry([{ projectId, deliveryId }]);
  return {
    text: `Put back: ${deliveryId} of ${projectId}. ${await whenTried(query, projectId, now())}`,
    json: { project_id: projectId, delivery_id: deliveryId, retried },
  };
}

/** When what was put back is tried. That nobody delivers may mean that no service runs, or that it had nothing to do. */
async function whenTried(query: Kysely<Tables>, projectId: string, now: number): Promise<string> {
  return (await isQueueOwned(query, projectId, now))
    ? `The service that delivers the events of ${projectId} tries again within a second.`
    : "A service that runs tries again within a second; if none runs, the next one does when it is started.";
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
