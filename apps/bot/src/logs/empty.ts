import { matcher } from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import { formatLogs, type SlackBlock } from "@media-ops/formatters/slack";
import type { CommandNamed } from "../language.js";
import { row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { plainSection } from "../slack/sections.js";
import { backButton, bookmarkButton, LEAF, refreshButton } from "./buttons.js";
import type { Listing } from "./listing.js";
import { NEWEST } from "./page.js";

type Logs = CommandNamed<"logs">;

/** Says that nothing matches, and what would. */
export function emptyMessage(listing: Listing, below: readonly SlackBlock[]): Draft {
  const { command, bookmark, heading, note, now, timeZone } = listing;
  const { blocks, text } = formatLogs(command.kind, [], { now, timeZone, title: heading, note });
  const wider = widerThan(listing);
  const words = [listing.listed.length === 0 ? NOTHING_AT_ALL : undefined, ...wider.map(inWords), onceEnded(command)];
  const more = words.filter((sentence) => sentence !== undefined).join(" ");
  const buttons = wider.map(({ without, command }, at) => {
    const periodMs = command.since === undefined ? undefined : bookmark.periodMs;
    const to = { ...bookmark, command, periodMs, spot: NEWEST, first: undefined };
    return bookmarkButton(`Without ${without}`, `${LEAF}:wider-${at}`, to);
  });
  return {
    blocks: [
      ...blocks,
      ...(more === "" ? [] : [plainSection(more)]),
      ...below,
      ...row(...buttons, refreshButton(bookmark), backButton(bookmark, now)),
    ],
    text,
  };
}

const NOTHING_AT_ALL = "This log is empty: nothing was logged in the last 30 days, which is as long as it is kept.";

/** Whoever looks for what goes on now looks here in vain. */
const onceEnded = ({ kind }: Logs): string | undefined => {
  if (kind === "sessions") return "A session is logged once it has ended.";
  return kind === "connections" ? "A connection is logged once it has ended." : undefined;
};

interface Wider {
  readonly without: string;
  readonly command: Logs;
  readonly count: number;
}

const inWords = ({ without, count }: Wider): string =>
  `Without ${without} there ${count === 1 ? "is" : "are"} ${formatCount(count)}.`;

/** What would be found if less were asked; both together only where neither helps by itself. */
function widerThan({ command, listed }: Listing): Wider[] {
  const { since, until, filters, ...rest } = command;
  const hasTime = since !== undefined || until !== undefined;
  const tried = (without: string, wider: Logs): Wider => {
    return { without, command: wider, count: listed.filter(matcher(wider)).length };
  };
  const one = [
    ...(hasTime ? [tried("the time", { ...rest, filters })] : []),
    ...(filters.length > 0 ? [tried("the filters", { ...command, filters: [] })] : []),
  ].filter(({ count }) => count > 0);
  if (one.length > 0) return one;
  return [tried("time and filters", { ...rest, filters: [] })].filter(({ count }) => count > 0);
}
