import type { Kysely } from "kysely";
import { findDeliveries, findDelivery, type KeptDelivery, type WholeDelivery } from "../deliveries/find-deliveries.js";
import { redactBody } from "../secrets/redact.js";
import type { Tables } from "../storage/tables.js";
import { type Command, CommandError, toColumns, toTable } from "./command.js";
import { filterOptions, nothingFits, readFilter } from "./delivery-filters.js";
import { readLimit } from "./filters.js";
import { needProject } from "./need-project.js";
import { printable } from "./printable.js";

const list: Command = {
  name: "deliveries list",
  parameters: ["[project]"],
  options: [
    ...filterOptions("only these"),
    { name: "limit", value: "<number>", summary: "how many, the newest first; by itself 50" },
  ],
  summary: "Lists events on their way to the projects' own addresses, the newest first.",
  help: "Delivered ones are kept for a day, failed ones for 30 days.",
  async run({ withStorage, now }, [projectId], given) {
    const filter = { ...readFilter(given, now()), projectId };
    const limit = readLimit(given.values.limit, { byItself: 50, most: 1000 });
    return withStorage(async ({ query }) => {
      if (projectId !== undefined) await needProject(query, projectId);
      const found = await findDeliveries(query, filter, limit);
      return {
        text:
          found.length === 0
            ? nothingFits(filter)
            : toTable(
                ["id", "project", "type", "status", "tries", "last answer", "made", "next try"],
                found.map((delivery) => [
                  delivery.deliveryId,
                  delivery.projectId,
                  printable(delivery.type),
                  delivery.state,
                  String(delivery.tries),
                  lastAnswer(delivery),
                  toTime(delivery.createdAt) ?? "",
                  nextTry(delivery, now()),
                ]),
              ),
        json: found.map(toJson),
      };
    });
  },
};

const show: Command = {
  name: "deliveries show",
  parameters: ["<id>"],
  summary: "Shows all that is known of a delivery, with the event as the media server sent it.",
  help: "Tokens are taken out of the event.",
  run: ({ withStorage, now }, [id = ""]) =>
    withStorage(async ({ query }) => {
      const delivery = await needDelivery(query, id);
      const body = redactBody(delivery.body);
      return {
        text: toColumns([
          ["id", delivery.deliveryId],
          ["project", delivery.projectId],
          ["event id", printable(delivery.eventId)],
          ["type", printable(delivery.type)],
          ["goes in order with", printable(delivery.lane) || "–"],
          ["status", delivery.state],
          ["tries", String(delivery.tries)],
          ["last answer", lastAnswer(delivery)],
          ["made", toTime(delivery.createdAt) ?? ""],
          ["next try", nextTry(delivery, now())],
          ["ended", toTime(delivery.endedAt) ?? "–"],
          ["event", printable(body)],
        ]),
        json: { ...toJson(delivery), body },
      };
    }),
};

/** The delivery of this id; an error that helps where there is none. */
export async function needDelivery(query: Kysely<Tables>, id: string): Promise<WholeDelivery> {
  const delivery = await findDelivery(query, id);
  if (delivery) return delivery;
  throw new CommandError(`There is no delivery ${id}. media-ops deliveries list shows those that are kept.`);
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** What the receiver answered last, and what was wrong with it. */
function lastAnswer({ lastStatus, lastFault }: KeptDelivery): string {
  const status = lastStatus ? [String(lastStatus)] : [];
  return printable([...status, ...(lastFault === null ? [] : [lastFault])].join(": ")) || "–";
}

function nextTry({ nextAt }: KeptDelivery, now: number): string {
  return nextAt !== null && nextAt <= now ? "now" : (toTime(nextAt) ?? "–");
}

function toJson(delivery: KeptDelivery) {
  return {
    delivery_id: delivery.deliveryId,
    project_id: delivery.projectId,
    event_id: delivery.eventId,
    type: delivery.type,
    lane: delivery.lane,
    status: delivery.state,
    tries: delivery.tries,
    last_status: delivery.lastStatus,
    last_fault: delivery.lastFault,
    created_at: toTime(delivery.createdAt),
    next_at: toTime(delivery.nextAt),
    ended_at: toTime(delivery.endedAt),
  };
}

export const deliveryCommands: readonly Command[] = [list, show];
