import { formatCount } from "@media-ops/formatters";
import { CliError } from "./errors.js";
import { createPrompter } from "./prompter.js";
import type { Session } from "./session.js";

/** The message if the user does not confirm. */
export const NOTHING_DONE = "Nothing was done.";

/**
 * Checks that the user can be asked, or has agreed with `--yes`, before anything else happens.
 *
 * @throws {CliError} otherwise.
 */
export function requireConsent({ world: { stdin, stderr }, flags }: Session): void {
  if (flags.yes || (stdin.isTTY && stderr.isTTY)) return;
  const reason = "This command asks before it acts, and there is no terminal to ask at.";
  throw new CliError(`${reason} ${NOTHING_DONE} Add --yes to run it without the question.`, 2);
}

// What is asked about should fit on a screen.
const MOST_SHOWN = 20;

/** The first of the items that a command would affect, for a list before its question. */
export function preview<Item>(
  items: readonly Item[],
  { title, hasMore }: { title: string; hasMore: boolean },
): { shown: readonly Item[]; title: string; hasMore: boolean } {
  const shown = items.slice(0, MOST_SHOWN);
  if (shown.length === items.length) return { shown, title, hasMore };
  const count = `${hasMore ? "at least " : ""}${formatCount(items.length)}`;
  return { shown, title: `${title}: ${count}, the newest ${MOST_SHOWN} are`, hasMore: true };
}

/**
 * Asks whether to go on; with `--yes`, it is agreed already. Text that was typed ahead is no answer.
 *
 * @throws {CliError} if the user does not agree.
 */
export async function confirm(question: string, { world, flags }: Session): Promise<void> {
  if (flags.yes) return;
  const prompter = createPrompter(world.stdin, world.stderr);
  try {
    await prompter.drop();
    const isAgreed = await prompter.ask(`${question} [y/N] `, (answer) => /^y(?:es)?$/i.test(answer));
    if (!isAgreed) throw new CliError(NOTHING_DONE);
  } finally {
    await prompter.close();
  }
}
