import type { Bot } from "@media-ops/bot";
import type { Person, Place, Workspace } from "@media-ops/fake-slack";
import { within } from "./stops.js";

/** The people and the channel with which a new workspace begins. */
interface Opening {
  readonly team: Workspace;
  /** Sets up the watch, and asks the bot. */
  readonly ann: Person;
  readonly bob: Person;
  readonly incidents: Place;
  readonly bot: Pick<Bot, "settled">;
  /** The time over which the watch measures. */
  readonly watchedOver: string;
}

// The page is shown by then. What the bot posts after that appears on it later.
const MOST_MS = 3000;

/**
 * Lets the people of a new workspace do what a visitor then sees: a watch notifies #incidents when webhooks fail, and in
 * the thread of a question, the bot answers a mention.
 */
export async function openWorkspace({ team, ann, bob, incidents, bot, watchedOver }: Opening): Promise<void> {
  const act = async (action: Promise<unknown>): Promise<void> =>
    void (await within(
      MOST_MS,
      action.then(() => bot.settled()),
    ));
  const watch = `/media watch webhooks when:failed>50% over:${watchedOver}`;
  await act(ann.command(watch, { in: incidents }));
  const question = await bob.says("Do all of our webhooks arrive? Some orders were late today.", { in: incidents });
  const mention = `${team.botMention} summary webhooks since:1h`;
  await act(ann.says(mention, { in: incidents, thread: question }));
}
