import type { WebhookEndpoint } from "@media-ops/contract";
import { fieldOf, numberIn, stringIn, timeIn } from "@media-ops/reports/entries";
import { answerFrame } from "../values/answer.js";
import { counted, formatCount } from "../values/numbers.js";
import { briefAddress, type Shown } from "../values/show.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import {
  briefText,
  isGiven,
  type Listing,
  type ListingColumn,
  type ListingOptions,
  type Marks,
  markedCell,
  type Phrase,
  sinceFact,
  tallyWords,
  textCell,
  timeCell,
} from "./list.js";

/** Webhook endpoints in words; never throws, whatever they contain. */
export function endpointsListing(
  endpoints: readonly WebhookEndpoint[],
  options: ListingOptions,
): Listing<WebhookEndpoint> {
  const frame = answerFrame(options, "Webhook endpoints");
  const { clock } = frame;
  const isTroubled = endpoints.some((endpoint) => sinceOf(endpoint) !== undefined);
  const since: ListingColumn<WebhookEndpoint> = {
    title: "Since",
    isTime: true,
    cell: (endpoint) => timeCell(sinceOf(endpoint), clock),
  };
  return {
    ...frame,
    hasMore: options.hasMore ?? false,
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
  };
}

const states: Marks = new Map([
  ["ok", { mark: "✓ ", tone: "good" }],
  ["failing", { mark: "▲ ", tone: "bad" }],
  ["off", { mark: "✗ ", tone: "bad" }],
]);

const stateCell = (endpoint: WebhookEndpoint): Shown => markedCell(stringIn(endpoint, "state"), states);

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
  const amount = counted(endpoints.length, "webhook endpoint", "webhook endpoints");
  return tallyWords(amount, endpoints, "state", ["off", "failing", "ok"]);
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
