import type { WebhookEndpoint } from "@media-ops/sdk";
import {
  briefText,
  isGiven,
  type Listing,
  type ListingColumn,
  type ListingOptions,
  sinceFact,
  textCell,
  timeCell,
} from "./listing.js";
import type { Phrase } from "./phrase.js";
import { counted, formatCount } from "./values/numbers.js";
import { briefAddress, type Shown, type Tone } from "./values/show.js";
import { fieldOf, NOTHING, numberIn, stringIn } from "./values/text.js";
import { type Clock, clockFor, timeIn } from "./values/time.js";

/** The options of every printed list of webhook endpoints. */
export interface EndpointsOptions extends ListingOptions {}

/** Webhook endpoints in words; never throws, whatever they contain. */
export function endpointsListing(
  endpoints: readonly WebhookEndpoint[],
  options: EndpointsOptions,
): Listing<WebhookEndpoint> {
  const clock = clockFor(options);
  const { title = "", note = "", hasMore = false } = options;
  const isTroubled = endpoints.some((endpoint) => sinceOf(endpoint) !== undefined);
  const since: ListingColumn<WebhookEndpoint> = {
    title: "Since",
    isTime: true,
    cell: (endpoint) => timeCell(sinceOf(endpoint), clock),
  };
  return {
    clock,
    title: title || "Webhook endpoints",
    words: totalWords(endpoints),
    columns: [
      { title: "Kind", cell: (endpoint) => textCell(briefText(stringIn(endpoint, "kind"))) },
      { title: "State", isFixed: true, cell: stateCell },
      ...(isTroubled ? [since] : []),
      ...(isGiven(endpoints, "waiting") ? [{ title: "Waiting", cell: waitingCell }] : []),
      { title: "URL", isAddress: true, cell: (endpoint) => textCell(briefAddress(stringIn(endpoint, "url"))) },
      ...(isGiven(endpoints, "off_reason") ? [{ title: "Reason", cell: reasonCell }] : []),
    ],
    lineOf: (endpoint) => lineOf(endpoint, clock),
    items: endpoints,
    hasMore,
    note,
  };
}

const states = new Map<string, { mark: string; tone: Tone }>([
  ["ok", { mark: "✓ ", tone: "good" }],
  ["failing", { mark: "▲ ", tone: "bad" }],
  ["off", { mark: "✗ ", tone: "bad" }],
]);

/** "✓ ok"; an unknown state is unchanged. */
function stateCell(endpoint: WebhookEndpoint): Shown {
  const state = stringIn(endpoint, "state");
  const { mark, tone } = states.get(state) ?? { mark: "", tone: "plain" };
  return textCell(`${mark}${briefText(state)}`, tone);
}

function sinceOf(endpoint: unknown): number | undefined {
  const state = stringIn(endpoint, "state");
  return state === "off"
    ? timeIn(endpoint, "off_since")
    : state === "failing"
      ? timeIn(endpoint, "failing_since")
      : undefined;
}

function waitingCell(endpoint: WebhookEndpoint): Shown {
  if (fieldOf(endpoint, "waiting") === undefined) return textCell("");
  const waiting = numberIn(endpoint, "waiting");
  return { text: formatCount(waiting), tone: "plain", number: waiting };
}

const reasonCell = (endpoint: WebhookEndpoint): Shown => textCell(briefText(stringIn(endpoint, "off_reason")));

/** "3 webhook endpoints: 1 off, 1 failing, 1 ok." */
function totalWords(endpoints: readonly unknown[]): string {
  if (endpoints.length === 0) return "The project has no webhook endpoint.";
  const parts = ["off", "failing", "ok"].flatMap((state) => {
    const count = endpoints.filter((endpoint) => stringIn(endpoint, "state") === state).length;
    return count === 0 ? [] : [`${formatCount(count)} ${state}`];
  });
  const amount = counted(endpoints.length, "webhook endpoint", "webhook endpoints");
  return `${amount}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}

function lineOf(endpoint: WebhookEndpoint, clock: Clock): Phrase[] {
  const { text: state } = stateCell(endpoint);
  const [since, reason, waiting] = [sinceOf(endpoint), stringIn(endpoint, "off_reason"), numberIn(endpoint, "waiting")];
  const url = stringIn(endpoint, "url");
  return [
    [`${briefText(stringIn(endpoint, "kind"))} webhook`],
    [{ name: url === "" ? NOTHING : briefAddress(url) }],
    since === undefined ? [state] : sinceFact(state, since, clock),
    ...(reason === "" ? [] : [[briefText(reason)]]),
    ...(waiting === 0 ? [] : [[counted(waiting, "event waits", "events wait")]]),
  ];
}
