import { type AskOptions, askSlack, NotAskedError } from "./ask-slack.js";
import type { Piece } from "./piece.js";

export interface CheckOptions extends AskOptions {
  say(text: string): void;
}

/** Asks Slack about all pieces, and says what it objects to. Gives the exit code: 1 if it objects, 2 if it was not asked. */
export async function checkSlack(pieces: readonly Piece[], { say, ...options }: CheckOptions): Promise<0 | 1 | 2> {
  const views = pieces.filter(({ kind }) => kind === "view").length;
  say(`Asking Slack about ${pieces.length - views} messages and ${views} windows and homes …`);
  try {
    const objections = await askSlack(pieces, options);
    for (const { piece, pointer, message } of objections) say(`✗ ${piece}\n  ${pointer || "/"}: ${message}`);
    const wrong = new Set(objections.map(({ piece }) => piece)).size;
    say(wrong === 0 ? "✓ Slack takes all of them." : `Slack objects to ${wrong} of ${pieces.length}.`);
    return wrong === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NotAskedError)) throw error;
    say(
      `Slack could not be asked: ${error.message} Nothing is known of the rest. Check the network, or SLACK_API_URL.`,
    );
    return 2;
  }
}
