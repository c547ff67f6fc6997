import { changeDeliveries, type DeliveryFilter } from "../deliveries/find-deliveries.js";
import { openQueue } from "../stores.js";
import { type Command, type Given, UsageError } from "./command.js";
import { filterOptions, nothingFits, readFilter } from "./delivery-filters.js";
import { needProject } from "./need-project.js";

export const purgeCommand: Command = {
  name: "deliveries purge",
  parameters: [],
  options: [
    { name: "project", value: "<project>", summary: "whose deliveries" },
    ...filterOptions("failed or delivered; by itself failed"),
    { name: "all", summary: "all of this status, where neither a type nor a time is given" },
  ],
  summary: "Deletes deliveries of a project that have failed, or that have been delivered.",
  help: `They cannot be brought back, and deliveries retry does not find them any more. The webhook log keeps its entries.
An event that the media server sends once more is delivered once more if its delivery was deleted.`,
  async run({ withStorage, now }, _, given) {
    const projectId = readProject(given);
    const filter = { ...readFilter(given, now(), "failed"), projectId };
    checkScope(filter, given);
    return withStorage(async (storage) => {
      await needProject(storage.query, projectId);
      const queue = openQueue(storage, { owner: "", now });
      const deleted = await changeDeliveries(storage.query, filter, (found) => queue.remove(found));
      return {
        text: deleted === 0 ? nothingFits(filter) : `Deleted: ${deleted} ${filter.state} of ${projectId}.`,
        json: { project_id: projectId, status: filter.state, deleted },
      };
    });
  },
};

function readProject({ values: { project } }: Given): string {
  if (project !== undefined) return project;
  throw new UsageError("--project is missing: say whose deliveries are to be deleted, --project <project>.");
}

/** Makes sure that nothing is deleted that still waits, and that all is deleted only on purpose. */
function checkScope({ state, type, since, until, projectId }: DeliveryFilter, { switches }: Given): void {
  if (state === "waiting") {
    const advice = `To give up what waits, remove the address: media-ops webhooks remove ${projectId} event`;
    throw new UsageError(
      `--status waiting: deliveries that wait are not deleted, only failed or delivered ones. ${advice}`,
    );
  }
  const isNarrow = [type, since, until].some((given) => given !== undefined);
  if (isNarrow || switches.has("all")) return;
  throw new UsageError(
    `This would delete every ${state} delivery of ${projectId}. Add --all if that is meant, or say which: --type <type>, --since <time>, --until <time>.`,
  );
}
