import { type GivenOptions, nearest } from "@media-ops/settings/command-line";
import type { Kysely } from "kysely";
import {
  changeDeliveries,
  type DeliveryFilter,
  type DeliveryState,
  deliveryStates,
  findDeliveries,
  findDelivery,
  isQueueOwned,
  listDeliveries,
  type StoredDelivery,
} from "../deliveries/find-deliveries.js";
import { eventTypes } from "../intake/event-types.js";
import { unhurried } from "../reads/along.js";
import { redactBody } from "../secrets/redact.js";
import type { Tables } from "../storage/tables.js";
import { openQueue } from "../stores.js";
import {
  type Command,
  CommandError,
  detailsOf,
  type Field,
  list,
  type Option,
  printable,
  readLimit,
  readOneOf,
  readTimes,
  timeOptions,
  toColumns,
  toJson,
  UsageError,
} from "./command.js";
import { needWebhook } from "./webhooks.js";

const filterOptions = (statusSummary: string): readonly Option[] => [
  { name: "status", value: `<${deliveryStates.join("|")}>`, summary: statusSummary },
  { name: "type", value: "<type>", summary: "of this type, such as connection.created" },
  ...timeOptions,
];

function readFilter({ values }: GivenOptions, now: number, standard?: DeliveryState): DeliveryFilter {
  const { status, type } = values;
  const state = status === undefined ? standard : readOneOf("--status", status, deliveryStates);
  return { state, type, ...readTimes(values, now) };
}

function noMatch({ type }: DeliveryFilter): string {
  const known: readonly string[] = eventTypes;
  const meant = type === undefined || known.includes(type) ? undefined : nearest(type, known);
  return `No matching delivery.${meant === undefined ? "" : ` Did you mean --type ${meant}?`}`;
}

const listAll: Command = {
  name: "deliveries list",
  parameters: ["[project]"],
  options: [
    ...filterOptions("only these"),
    { name: "limit", value: "<number>", summary: "how many, the newest first; 50 by default" },
  ],
  summary: "Lists event deliveries to the projects' webhook addresses, the newest first.",
  help: "Delivered ones are kept for a day, failed ones for 30 days.",
  async run({ open, now }, [projectId], given) {
    const filter = { ...readFilter(given, now()), projectId };
    const limit = readLimit(given.values.limit, { standard: 50, most: 1000 });
    const { query } = await open(projectId);
    return list(await findDeliveries(query, filter, limit), fieldsAt(now()), noMatch(filter));
  },
};

const show: Command = {
  name: "deliveries show",
  parameters: ["<id>"],
  summary: "Shows a delivery with the event as the media server sent it.",
  help: "Tokens are removed from the event.",
  async run({ open, now }, [id = ""]) {
    const { query } = await open();
    const delivery = await needDelivery(query, id);
    const body = redactBody(delivery.body);
    const fields = fieldsAt(now());
    return {
      text: toColumns([...detailsOf(delivery, fields), ["event", printable(body)]]),
      json: { ...toJson(delivery, fields), body },
    };
  },
};

async function needDelivery(query: Kysely<Tables>, id: string) {
  const delivery = await findDelivery(query, id);
  if (delivery) return delivery;
  throw new CommandError(`There is no delivery ${id}. To list the stored deliveries: media-ops deliveries list`);
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function lastAnswer({ lastStatus, lastFault }: StoredDelivery): string {
  const status = lastStatus ? [String(lastStatus)] : [];
  return printable([...status, ...(lastFault === null ? [] : [lastFault])].join(": ")) || "–";
}

/** When it is tried next; one that is sent again with others is due since it was requested. */
const nextTryAt = ({ nextAt, resendAt }: StoredDelivery): number | null => nextAt ?? resendAt;

const fieldsAt = (now: number): readonly Field<StoredDelivery>[] => [
  { name: "delivery_id", heading: "id", of: ({ deliveryId }) => deliveryId },
  { name: "project_id", heading: "project", of: ({ projectId }) => projectId },
  { name: "event_id", heading: "event id", isDetail: true, of: ({ eventId }) => eventId },
  { name: "type", heading: "type", of: ({ type }) => type },
  {
    name: "lane",
    heading: "lane",
    isDetail: true,
    of: ({ lane }) => lane,
    shown: ({ lane }) => printable(lane) || "–",
  },
  { name: "status", heading: "status", of: ({ state }) => state },
  { name: "tries", heading: "tries", of: ({ tries }) => tries },
  { name: "last_status", heading: "last answer", of: ({ lastStatus }) => lastStatus, shown: lastAnswer },
  { name: "last_fault", of: ({ lastFault }) => lastFault },
  { name: "created_at", heading: "created", of: ({ createdAt }) => toTime(createdAt) },
  {
    name: "next_at",
    heading: "next try",
    of: (delivery) => toTime(nextTryAt(delivery)),
    shown(delivery) {
      const at = nextTryAt(delivery);
      return at !== null && at <= now ? "now" : (toTime(at) ?? "–");
    },
  },
  {
    name: "ended_at",
    heading: "ended",
    isDetail: true,
    of: ({ endedAt }) => toTime(endedAt),
    shown: ({ endedAt }) => toTime(endedAt) ?? "–",
  },
];

const retry: Command = {
  name: "deliveries retry",
  parameters: ["[id]"],
  options: [
    { name: "project", value: "<project>", summary: "all matching deliveries of this project, instead of one" },
    ...filterOptions("only these; failed by default"),
  ],
  summary: "Sends an event again, or all events of a project that failed.",
  isAct: true,
  help: `A running service tries them within a second, and then as often as new ones. If none runs, the next one does.
All that failed are sent in their order, one after another, at most 200 a second; new events go on meanwhile.
With --status delivered the receiver gets them again, with the same webhook-id; with --status waiting they are tried now.`,
  async run({ open, now }, [id], given) {
    checkChoice(id, given);
    const filter = readFilter(given, now(), "failed");
    const { storage, query } = await open(given.values.project);
    const queue = openQueue(storage, { owner: "", now });
    const one = id === undefined ? undefined : await needDelivery(query, id);
    const projectId = one?.projectId ?? given.values.project ?? "";
    await needReceiver(query, projectId);
    const startedAt = now();
    const isFailed = filter.state === "failed";
    const retried = one
      ? await queue.retry([one])
      : await changeAll(query, { ...filter, projectId }, isFailed ? "oldest" : "newest", (found) =>
          isFailed ? queue.resend(found, startedAt) : queue.retry(found),
        );
    const what = one?.deliveryId ?? retried;
    return {
      text:
        what === 0
          ? noMatch(filter)
          : `Queued again: ${what} of ${projectId}. ${await whenTried(query, projectId, now())}`,
      json: { project_id: projectId, delivery_id: one?.deliveryId ?? null, retried },
    };
  },
};

function checkChoice(id: string | undefined, { values }: GivenOptions): void {
  const [filter] = Object.keys(values);
  if (id !== undefined && filter !== undefined) {
    throw new UsageError(`Give either the delivery ${id} or --${filter}, which is for those of a project.`);
  }
  if (id !== undefined || values.project !== undefined) return;
  throw new UsageError("Give the id of a delivery, or --project <project> for all that failed.");
}

async function changeAll(
  query: Kysely<Tables>,
  filter: DeliveryFilter & { projectId: string },
  order: "newest" | "oldest",
  change: Parameters<typeof changeDeliveries>[1],
): Promise<number> {
  const reading = { query, work: unhurried };
  const pages = (after: string | undefined) => listDeliveries(reading, filter.projectId, { filter, after, order });
  return (await changeDeliveries(pages, change)).changed;
}

/** When requeued deliveries are tried. A service that had nothing to deliver owns no queue, but may run. */
async function whenTried(query: Kysely<Tables>, projectId: string, now: number): Promise<string> {
  return (await isQueueOwned(query, projectId, now))
    ? `The service that delivers the events of ${projectId} tries again within a second.`
    : "A running service tries again within a second; if none runs, the next one does when it starts.";
}

/** Throws if the project's event address is missing or off, as the deliveries would be given up at once. */
async function needReceiver(query: Kysely<Tables>, projectId: string): Promise<void> {
  const { offAt, offReason } = await needWebhook(query, projectId, "event");
  if (offAt === null) return;
  throw new CommandError(
    `The event address of ${projectId} is switched off because ${offReason}. Set it again first: media-ops webhooks set ${projectId} event <address>`,
  );
}

const purge: Command = {
  name: "deliveries purge",
  parameters: [],
  options: [
    { name: "project", value: "<project>", summary: "the project" },
    ...filterOptions("failed or delivered; failed by default"),
    { name: "all", summary: "all of this status, without a type or a time" },
  ],
  summary: "Deletes deliveries of a project that failed, or that were delivered.",
  isAct: true,
  help: `They cannot be restored, and deliveries retry does not find them any more. The webhook log keeps its entries.
If the media server sends an event again after its delivery was deleted, the event is delivered again.`,
  async run({ open, now }, _, given) {
    const projectId = given.values.project;
    if (projectId === undefined) throw new UsageError("--project is missing: --project <project>");
    const filter = { ...readFilter(given, now(), "failed"), projectId };
    checkScope(filter, given);
    const { storage, query } = await open(projectId);
    const queue = openQueue(storage, { owner: "", now });
    const deleted = await changeAll(query, filter, "newest", (found) => queue.remove(found));
    return {
      text: deleted === 0 ? noMatch(filter) : `Deleted: ${deleted} ${filter.state} of ${projectId}.`,
      json: { project_id: projectId, status: filter.state, deleted },
    };
  },
};

/** Throws if waiting deliveries would be deleted, or all of them without `--all`. */
function checkScope({ state, type, since, until, projectId }: DeliveryFilter, { switches }: GivenOptions): void {
  if (state === "waiting") {
    throw new UsageError(
      `--status must be failed or delivered: waiting deliveries are not deleted. To give them up, remove the address: media-ops webhooks remove ${projectId} event`,
    );
  }
  const isNarrow = [type, since, until].some((given) => given !== undefined);
  if (isNarrow || switches.has("all")) return;
  throw new UsageError(
    `This would delete every ${state} delivery of ${projectId}. To confirm, add --all; to delete only some, add --type <type>, --since <time> or --until <time>.`,
  );
}

/** The commands of `deliveries`. */
export const deliveryCommands: readonly Command[] = [listAll, show, retry, purge];
