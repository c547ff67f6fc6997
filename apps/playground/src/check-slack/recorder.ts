import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { isObject, type Piece } from "./piece.js";

/** Takes down all that the bot shows. */
export interface Recorder {
  /** What people do from now on, by which the pieces are named. */
  during: string;
  /** Each thing once. */
  readonly pieces: readonly Piece[];
}

/** Watches what an app sends to Slack: with its calls, to the addresses for answers, and as answers to sent windows. */
export function recordPieces(slack: FakeSlack): Recorder {
  const known = new Set<string>();
  const pieces: Piece[] = [];
  const recorder = { during: "", pieces };

  function add(kind: Piece["kind"], payload: Piece["payload"]): void {
    const text = JSON.stringify(payload);
    if (known.has(text)) return;
    known.add(text);
    const what = kind === "message" ? "a message" : payload.type === "home" ? "the home" : "a window";
    pieces.push({ name: `${recorder.during}: ${what}`, kind, payload });
  }

  slack.watch((entry) => {
    const { view, message } = shownIn(entry);
    if (isObject(view)) add("view", view);
    if (isObject(message)) add("message", message);
  });
  return recorder;
}

function shownIn({ what, detail }: TranscriptEntry): { view?: unknown; message?: unknown } {
  if (what === "delivery") {
    const answer = read(detail.body);
    return { view: isObject(answer) ? answer.view : undefined };
  }
  if (what !== "call" || !isObject(detail.args)) return {};
  const { view, text } = detail.args;
  const blocks = read(detail.args.blocks);
  return { view: read(view), message: Array.isArray(blocks) ? { text, blocks } : undefined };
}

/** What was sent as it is, or as its JSON. */
function read(given: unknown): unknown {
  if (typeof given !== "string") return given;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
