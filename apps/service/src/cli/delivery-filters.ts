import { nearest } from "@media-ops/settings/command-line";
import { type DeliveryFilter, type DeliveryState, deliveryStates } from "../deliveries/find-deliveries.js";
import { eventTypes } from "../intake/kind-names.js";
import type { Given, Option } from "./command.js";
import { readOneOf, readTimes, timeOptions } from "./filters.js";

/** Which deliveries are meant. */
export function filterOptions(statusSummary: string): readonly Option[] {
  return [
    { name: "status", value: `<${deliveryStates.join("|")}>`, summary: statusSummary },
    { name: "type", value: "<type>", summary: "of this type, such as connection.created" },
    ...timeOptions,
  ];
}

/** Reads those options. */
export function readFilter({ values }: Given, now: number, state?: DeliveryState): DeliveryFilter {
  const { status, type } = values;
  return {
    state: status === undefined ? state : readOneOf("--status", status, deliveryStates),
    type,
    ...readTimes(values, now),
  };
}

/** Says that nothing fits, and what may have been meant. */
export function nothingFits({ type }: DeliveryFilter): string {
  const known: readonly string[] = eventTypes;
  const meant = type === undefined || known.includes(type) ? undefined : nearest(type, known);
  return `No delivery fits.${meant === undefined ? "" : ` Did you mean --type ${meant}?`}`;
}
