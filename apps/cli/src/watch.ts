import { setTimeout as sleep } from "node:timers/promises";
import { MediaApiError, MediaError, MediaUsageError } from "@media-ops/sdk";
import { problemText } from "./output.js";
import type { Session } from "./session.js";

const RETRYING = "Retrying until the service answers.";

/** Reports the start and the end of an outage once each, for commands that go on until they are stopped. */
export function outageReporter({ world, flags, aside, show, say }: Session) {
  let failure: string | undefined;
  return {
    onError(error: unknown): void {
      const name = error instanceof Error ? error.name : "";
      if (name === failure) return;
      failure = name;
      show(problemText(error, { world, flags, aside }));
      say(RETRYING);
    },
    onResponse({ ok }: Response): void {
      if (!ok || failure === undefined) return;
      failure = undefined;
      say("The service answers again.");
    },
  };
}

/** What is shown again and again. */
export interface Watched {
  /** Gets what is shown first. Its failure is no temporary one. */
  first(): Promise<string>;
  /** Gets what is shown next. */
  next(): Promise<string>;
  everyMs: number;
  /** Receives temporary failures, unless they are shown on the screen. */
  onError(error: unknown): void;
}

/**
 * Shows something until the command is stopped: on a terminal in place, otherwise one below the other. A temporary
 * failure is shown, and the next attempt follows.
 *
 * @throws what is no temporary failure.
 */
export async function watch({ first, next, everyMs, onError }: Watched, session: Session): Promise<void> {
  const { signal } = session.world;
  let text: string;
  try {
    text = await first();
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const canvas = openCanvas(session);
  canvas.draw(text);
  try {
    while (await isOpenAfter(everyMs, signal)) {
      try {
        text = await next();
        canvas.draw(text);
      } catch (error) {
        if (signal.aborted) return;
        if (!isTemporary(error)) throw error;
        if (canvas.isInPlace) canvas.draw(`${failureText(error, session)}\n\n${text}`);
        else onError(error);
      }
    }
  } finally {
    canvas.close(text);
  }
}

function failureText(error: unknown, { world, flags, screen }: Session): string {
  return `${problemText(error, { world, flags, aside: screen })}\n${RETRYING}`;
}

/** Waits. Returns whether the command goes on. */
async function isOpenAfter(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}

/** Whether the service may answer the same call later on. */
function isTemporary(error: unknown): boolean {
  if (error instanceof MediaApiError) return error.status >= 500 || error.status === 408 || error.status === 429;
  return error instanceof MediaError && !(error instanceof MediaUsageError);
}

/** Where texts are drawn. */
interface Canvas {
  /** Whether each text replaces the one before. */
  readonly isInPlace: boolean;
  draw(text: string): void;
  /** Leaves the last text on the screen. */
  close(text: string): void;
}

const ESC = "\u001b[";
// As editors do: a second screen, which leaves what was on the first one.
const OPEN = `${ESC}?1049h${ESC}?25l`;
const CLOSE = `${ESC}?25h${ESC}?1049l`;

function openCanvas({ world, flags, print, write }: Session): Canvas {
  const { stdout, env } = world;
  if (!stdout.isTTY || env.TERM === "dumb" || flags.json) {
    // Blank lines separate texts of several lines.
    const end = flags.json ? "" : "\n";
    return { isInPlace: false, draw: (text) => print(`${text}${end}`), close: () => {} };
  }
  write(OPEN);
  return {
    isInPlace: true,
    draw(text) {
      const lines = fitted(text.split("\n"), stdout.rows);
      write(`${ESC}H${lines.map((line) => `${line}${ESC}K`).join("\n")}${ESC}J`);
    },
    close(text) {
      write(CLOSE);
      print(text);
    },
  };
}

/** The lines that a screen has room for, and how many it hides. */
function fitted(lines: readonly string[], rows = 0): readonly string[] {
  if (rows < 2 || lines.length <= rows) return lines;
  const shown = lines.slice(0, rows - 1);
  return [...shown, `… ${lines.length - shown.length} more lines`];
}
