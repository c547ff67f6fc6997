import { redactBody } from "@media-ops/secrets";
import * as z from "zod";
import { parseJson } from "../json.js";
import type { LogLine } from "./protocol.js";

/** Collects the logs of the programs. */
export interface LogTap extends Pick<Tail<LogLine>, "items" | "watch"> {
  /** Returns a destination for the `to` option of a program's `createLog`. */
  to(from: LogLine["from"]): { write(line: string): void };
}

const written = z.looseObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).catch("info"),
  time: z.string().optional().catch(undefined),
  msg: z.string().catch(""),
});

/**
 * Creates a log tap.
 *
 * @param options `keeps` is the number of lines to keep. `now` returns the time of lines without one.
 */
export function createLogTap({ keeps, now = Date.now }: { keeps: number; now?: () => number }): LogTap {
  const tail = createTail<LogLine>({ keeps });
  return {
    items: tail.items,
    watch: tail.watch,
    to: (from) => ({ write: (line) => tail.add((id) => ({ id, from, ...read(redactBody(line), now()) })) }),
  };
}

/** Parses a log line. Lines that are not JSON are kept as text. */
function read(line: string, now: number): Omit<LogLine, "id" | "from"> {
  const parsed = written.safeParse(parseJson(line));
  if (!parsed.success) return { at: now, level: "info", text: line.trimEnd(), fields: {} };
  const { level, time = "", msg, ...fields } = parsed.data;
  return { at: Date.parse(time) || now, level, text: msg, fields };
}

/** The last items of an endless list, numbered from 1. */
export interface Tail<Item> {
  /** The items, oldest first. */
  readonly items: readonly Item[];
  /** Adds the item that `make` creates for the next number. */
  add(make: (id: number) => Item): void;
  /** Calls back for each new item. Returns a function that unsubscribes. */
  watch(listener: (item: Item) => void): () => void;
}

/**
 * Creates an empty tail.
 *
 * @param options `keeps` is the number of items to keep.
 */
export function createTail<Item>({ keeps }: { keeps: number }): Tail<Item> {
  const items: Item[] = [];
  const listeners = new Set<(item: Item) => void>();
  let lastId = 0;
  return {
    items,
    add: (make) => {
      lastId += 1;
      const item = make(lastId);
      items.push(item);
      if (items.length > keeps) items.shift();
      for (const listener of listeners) listener(item);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
