import type { ServerResponse } from "node:http";
import type { FakeSlack, MessageReference, Person, Place, TranscriptEntry, Workspace } from "@media-ops/fake-slack";
import { type Exchanges, textAt } from "./exchanges.js";
import type { LogTap } from "./log-tap.js";
import type {
  Exchange,
  LogLine,
  PersonInfo,
  PlaceInfo,
  Scene,
  WindowEvents,
} from "./protocol.js";

export interface FeedParts extends Setting {
  readonly slack: FakeSlack;
  readonly exchanges: Exchanges;
  readonly log: LogTap;
}

/**
 * Sends the scene of a person, and then each change of it, until the stream closes.
 *
 * Changes are only marked, and read when they are sent: a slow reader gets the present state, and nothing piles up.
 */
export function feed(stream: EventStream, parts: FeedParts, person: Person): void {
  const { slack, exchanges, log } = parts;
  const changed = new Map<string, MessageReference>();
  const due = { modal: false, home: false, flush: false };
  const sent = { exchange: lastId(exchanges.items), line: lastId(log.lines) };

  /** Sends one change; returns false if there is none. */
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
    if (due.modal) {
      due.modal = false;
      stream.send("modal", person.modal ?? null);
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
  /** A little later, so that several changes at once are sent once. */
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
    } else if (name === "view") due.modal = true;
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

// As many as a person scrolls through; more would slow down each reconnection.
const MESSAGES_OF_A_PLACE = 500;

/** The sources of a scene. */
export interface Setting {
  readonly team: Workspace;
  readonly people: readonly Person[];
  readonly app: { readonly name: string };
  readonly exchanges: { readonly items: readonly Exchange[] };
  readonly log: { readonly lines: readonly LogLine[] };
}

/** Everything that a person sees now. */
function sceneOf(setting: Setting, person: Person): Scene {
  const { team, people, app, exchanges, log } = setting;
  const places = placesOf(team, person);
  const messages = places.flatMap((place) => person.sees(place).slice(-MESSAGES_OF_A_PLACE));
  return {
    team: team.name,
    app: { name: app.name, userId: team.isInstalled ? team.botUserId : "" },
    people: people.map(infoOf),
    you: person.id,
    places: places.map((place) => placeInfo(place, app.name)),
    messages: messages.sort((one, other) => compare(one.ts, other.ts)),
    modal: person.modal ?? null,
    home: person.home ?? null,
    exchanges: exchanges.items,
    log: log.lines,
  };
}

/** The conversations of a person; the one with the app is last. */
export function placesOf(team: Workspace, person: Person): Place[] {
  const channels = team.places.filter((place) => place.has(person));
  return team.isInstalled ? [...channels, person.directPlace] : channels;
}

function infoOf({ id, name, realName, isAdmin, timeZone }: Person): PersonInfo {
  return { id, name, realName, isAdmin, timeZone };
}

function placeInfo({ id, name, kind }: Place, appName: string): PlaceInfo {
  return kind === "im" ? { id, name: appName, kind: "direct" } : { id, name, kind: "channel" };
}

/** Timestamps sort as texts, because all have the same number of digits. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A stream of server-sent events to one reader, which may be slow. */
export interface EventStream {
  /** Whether the reader is behind: more data would pile up. */
  readonly isFull: boolean;
  send<Name extends keyof WindowEvents>(name: Name, data: WindowEvents[Name]): void;
  /** Calls back whenever it is no longer full. */
  onDrain(listener: () => void): void;
  /** Calls back when the stream has ended. */
  onClose(listener: () => void): void;
  end(): void;
}

// A silent stream can't be told from a broken one.
const HEARTBEAT_MS = 15_000;
// People restart the playground, and look at the page at once.
const RECONNECT_AFTER_MS = 1000;

export function openEventStream(response: ServerResponse): EventStream {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  response.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => clearInterval(heartbeat));
  return {
    get isFull() {
      return response.writableNeedDrain;
    },
    send: (name, data) => {
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    onDrain: (listener) => void response.on("drain", listener),
    onClose: (listener) => void response.on("close", listener),
    end: () => void response.end(),
  };
}
