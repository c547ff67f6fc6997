import type { SlackBlock } from "@media-ops/formatters/slack";
import { typed } from "../projects/words.js";
import type { Request } from "../request.js";
import { mrkdwnSection, row, runButton, smallPrint, withoutButtons } from "../slack/blocks.js";
import type { StoredIncident } from "../watches/run-store.js";
import type { Watch } from "../watches/watch-store.js";
import { stateOf, watchBlocks } from "../watches/watches.js";

const MOST_SHOWN = 10;

/** The watches of a workspace, each with its newest incident. */
export interface Watched {
  readonly watches: readonly Watch[];
  readonly newest: ReadonlyMap<string, StoredIncident>;
}

/** Reads the watches of the person's workspace. */
export async function watchedIn({ watches, served }: Request): Promise<Watched> {
  const [all, newest] = await Promise.all([watches.all(served.teamId), watches.newest(served.teamId)]);
  return { watches: all, newest };
}

// What fires is urgent, and what doesn't look may hide something.
const ORDER = ["▲", "?", "✓"] as const;

/** The watches with their state. What can be done with them is in the list, whose buttons replace it. */
export function watchRows({ watches, newest }: Watched, request: Request): SlackBlock[] {
  if (watches.length === 0) {
    const example = typed(request.prefix, "watch webhooks failed");
    return [mrkdwnSection(`Nothing is watched yet. Type in the channel that should be notified: ${example}.`)];
  }
  const now = request.now();
  const rankOf = (watch: Watch): number => ORDER.indexOf(stateOf(watch, newest.get(watch.id), now));
  const ranked = watches.map((watch) => ({ watch, rank: rankOf(watch) })).sort((a, b) => a.rank - b.rank);
  const shown = ranked.slice(0, MOST_SHOWN);
  const more = ranked.length - shown.length;
  return [
    ...shown.flatMap(({ watch }) => withoutButtons(watchBlocks(watch, newest.get(watch.id), request))),
    ...(more > 0 ? [smallPrint(`${more} more are not shown.`)] : []),
    ...row(runButton("All watches", "watches", { id: "all-watches" })),
  ];
}
