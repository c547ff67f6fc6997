import type { FakeSlack, MessageReference, Person, TranscriptEntry } from "@media-ops/fake-slack";
import type { EventStream } from "./event-stream.js";
import type { Exchanges } from "./exchanges.js";
import { textAt } from "./json.js";
import type { LogTap } from "./log-tap.js";
import { type Setting, sceneOf } from "./scene.js";

export interface FeedParts extends Setting {
  readonly slack: FakeSlack;
  readonly exchanges: Exchanges;
  readonly log: LogTap;
}

/**
 * Sends what somebody sees, and then each change of it, until the reader is gone.
 *
 * What has changed is only marked, and read when it is sent: a slow reader gets the present, however much has happened
 * in between, and nothing piles up for him.
 */
export function feed(stream: EventStream, parts: FeedParts, person: Person): void {
  const { slack, exchanges, log } = parts;
  const changed = new Map<string, MessageReference>();
  const due = { modals: false, home: false, flush: false };
  const sent = { exchange: lastId(exchanges.items), line: lastId(log.lines) };

  /** Sends one thing that has changed; false where there is none. */
  const sendOne = (): boolean => {
    const [message] = changed;
    if (message) {
      const [key, reference] = message;
      changed.delete(key);
      const seen = person.messageAt(reference);
      if (seen) stream.send("message", seen);
      else stream.send("gone", reference);
      return true;
    }
    if (due.modals) {
      due.modals = false;
      stream.send("modals", person.modals);
      return true;
    }
    if (due.home) {
      due.home = false;
      stream.send("home", person.home ?? null);
      return true;
    }
    const exchange = exchanges.items.find(({ id }) => id > sent.exchange);
    if (exchange) {
      sent.exchange = exchange.id;
      stream.send("exchange", exchange);
      return true;
    }
    const line = log.lines.find(({ id }) => id > sent.line);
    if (line) {
      sent.line = line.id;
      stream.send("log", line);
      return true;
    }
    return false;
  };
  const flush = (): void => {
    due.flush = false;
    while (!stream.isFull && sendOne());
  };
  /** A little later, so that what changes several times in one go is sent once. */
  const flushSoon = (): void => {
    if (due.flush) return;
    due.flush = true;
    setImmediate(flush);
  };
  const mark = ({ what, name, users, detail }: TranscriptEntry): void => {
    if ((what !== "shown" && what !== "hidden") || !users.includes(person.id)) return;
    if (name === "message") {
      const reference = { channelId: textAt(detail, "channel"), ts: textAt(detail, "ts") };
      changed.set(`${reference.channelId} ${reference.ts}`, reference);
    } else if (name === "view") due.modals = true;
    else if (name === "home") due.home = true;
    flushSoon();
  };

  stream.send("scene", sceneOf(parts, person));
  stream.onDrain(flush);
  const ends = [slack.watch(mark), exchanges.watch(flushSoon), log.watch(flushSoon)];
  stream.onClose(() => {
    for (const end of ends) end();
  });
}

function lastId(items: readonly { readonly id: number }[]): number {
  return items.at(-1)?.id ?? 0;
}
