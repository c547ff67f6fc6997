import { setTimeout as sleep } from "node:timers/promises";
import { capital, MOST_LISTED } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { type LiveChannels, MediaApiError, MediaError, MediaUsageError } from "@media-ops/sdk";
import { connect } from "./connect.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson, outageReporter, problemText, RETRYING } from "./output.js";
import type { Session } from "./session.js";

/** A call that others follow: the next one is a retry, and what is on the screen must not grow old unnoticed. */
const oneOfMany = { maxRetries: 0, timeoutMs: 10_000 } as const;

/** `media live`: shows who is connected, once or until it is stopped; temporary failures don't end it. */
export async function live(command: CommandNamed<"live">, session: Session): Promise<void> {
  const { world, flags, print } = session;
  const { signal } = world;
  const { watch: everyMs, json } = flags;
  const { onResponse, onError } = outageReporter(session);
  const { client, ask, project } = await connect(session, everyMs === undefined ? {} : { onResponse });
  const { channel, in: project_id = project } = command;
  const request = {
    ...(project_id !== undefined && { project_id }),
    ...(json && { limit: MOST_LISTED }),
    ...(channel !== undefined && { [channel.includes("@") ? "channel_id" : "channel"]: channel }),
  };
  const draw = (found: LiveChannels): string => {
    if (json) return harmlessJson(JSON.stringify(found));
    const { screen } = session;
    const now = world.now();
    const time = new Date(now).toLocaleTimeString("en-GB", { timeZone: screen.timeZone });
    const title = `${capital(language.describe(command, { project }))}${everyMs === undefined ? "" : `, ${time}`}`;
    return terminal.formatLive(found, { ...screen, now, title, channel });
  };
  const first = ask((client, options) => client.live(request, options)).then(draw);
  if (everyMs === undefined) return print(await first);
  let text = await first;
  const canvas = openCanvas(session);
  canvas.draw(text);
  try {
    for (;;) {
      await sleep(everyMs, undefined, { signal });
      try {
        text = draw(await client.live(request, { signal, ...oneOfMany }));
        canvas.draw(text);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        if (!canvas.isInPlace) onError(error);
        else canvas.draw(`${problemText(error, { world, flags, aside: session.screen })}\n${RETRYING}\n\n${text}`);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    canvas.close(text);
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof MediaApiError) return error.status >= 500 || error.status === 408 || error.status === 429;
  return error instanceof MediaError && !(error instanceof MediaUsageError);
}

const ESC = "\u001b[";
// As editors do: a second screen, which leaves what was on the first one.
const OPEN = `${ESC}?1049h${ESC}?25l`;
const CLOSE = `${ESC}?25h${ESC}?1049l`;

/** Where texts are drawn, each in the place of the one before if there is a terminal. Closing leaves the last text. */
function openCanvas({ world, flags, print, write }: Session) {
  const { stdout, env } = world;
  if (!stdout.isTTY || env.TERM === "dumb" || flags.json) {
    // Blank lines separate texts of several lines.
    const end = flags.json ? "" : "\n";
    return { isInPlace: false, draw: (text: string) => print(`${text}${end}`), close: () => {} };
  }
  write(OPEN);
  return {
    isInPlace: true,
    draw(text: string): void {
      const lines = fitted(text.split("\n"), stdout.rows);
      write(`${ESC}H${lines.map((line) => `${line}${ESC}K`).join("\n")}${ESC}J`);
    },
    close(text: string): void {
      write(CLOSE);
      print(text);
    },
  };
}

function fitted(lines: readonly string[], rows = 0): readonly string[] {
  if (rows < 2 || lines.length <= rows) return lines;
  const shown = lines.slice(0, rows - 1);
  return [...shown, `… ${lines.length - shown.length} more lines`];
}
