import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { redactBody } from "@media-ops/secrets";
import * as z from "zod";
import { isObject, parseJson } from "../json.js";
import type { Exchange, LogLine } from "./protocol.js";

/** The last items of an endless list, numbered from 1, oldest first. */
export class Tail<Item extends { readonly id: number }> {
  readonly items: Item[] = [];
  readonly #keeps: number;
  readonly #listeners = new Set<(item: Item) => void>();
  #lastId = 0;

  constructor(keeps: number) {
    this.#keeps = keeps;
  }

  /** Adds the item that `make` creates for the next number. */
  add(make: (id: number) => Item): void {
    this.#lastId += 1;
    const item = make(this.#lastId);
    this.items.push(item);
    if (this.items.length > this.#keeps) this.items.shift();
    for (const listener of this.#listeners) listener(item);
  }

  /** Calls back for each new item. Returns a function that unsubscribes. */
  watch(listener: (item: Item) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const written = z.looseObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).catch("info"),
  time: z.string().optional().catch(undefined),
  msg: z.string().catch(""),
});

/** Returns a destination for the `to` option of a program's `createLog`. Lines that are not JSON are kept as text. */
export function logTo(log: Tail<LogLine>, from: LogLine["from"], now = Date.now) {
  return {
    write(line: string): void {
      const text = redactBody(line);
      const {
        level,
        time = "",
        msg,
        ...fields
      } = written.safeParse(parseJson(text)).data ?? {
        level: "info" as const,
        msg: text.trimEnd(),
      };
      log.add((id) => ({ id, from, at: Date.parse(time) || now(), level, text: msg, fields }));
    },
  };
}

/** Adds the requests between Slack and the app so far, and new ones until the returned function is called. */
export function followExchanges(slack: FakeSlack, exchanges: Tail<Exchange>): () => void {
  const take = ({ at, what, name, detail }: TranscriptEntry): void => {
    if (what !== "call" && what !== "delivery") return;
    const shown = withoutSecrets(detail);
    const about = what === "call" ? aboutCall(name, shown) : aboutDelivery(shown);
    const { status } = detail;
    // An unanswered delivery has status 0.
    const answered = typeof status === "number" && status > 0 ? status : undefined;
    exchanges.add((id) => ({ id, at, what, name, status: answered, about, detail: shown }));
  };
  for (const entry of slack.transcript) take(entry);
  return slack.watch(take);
}

function aboutCall(name: string, detail: unknown): string {
  const answer = fieldOf(detail, "answer");
  const isOk = answer === "ok" || fieldOf(answer, "ok") === true;
  return `${name} → ${isOk ? "ok" : textAt(answer, "error") || String(fieldOf(detail, "status"))}`;
}

function aboutDelivery(detail: unknown): string {
  const payload = fieldOf(detail, "payload");
  const action = [fieldOf(payload, "actions")].flat()[0];
  const chosen = [textAt(action, "action_id"), textAt(action, "selected_option", "text", "text")].filter(Boolean);
  const kind = textAt(payload, "command") || textAt(payload, "event", "type") || textAt(payload, "type");
  const about =
    textAt(payload, "text") ||
    // Only the detail shows who was mentioned.
    textAt(payload, "event", "text").replaceAll(/<@\w+>/g, "@…") ||
    textAt(action, "text", "text") ||
    chosen.join(": ") ||
    textAt(payload, "callback_id") ||
    textAt(payload, "view", "title", "text");
  const typed = about.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const retry = fieldOf(detail, "retry", "number");
  return `${kind} ${typed}`.trim() + (typeof retry === "number" ? ` (retry ${retry})` : "");
}

const HIDDEN = "[redacted]";
// Matches names and labels of fields for secrets.
const SECRETIVE = /(?:^|[^a-z])(?:keys?|tokens?|secrets?|passwords?|passphrase)(?:$|[^a-z])/i;

/** Returns a request without keys and tokens, and without entries of fields for secrets. */
function withoutSecrets(detail: TranscriptEntry["detail"]): unknown {
  const blocks = fieldOf(detail, "payload", "view", "blocks");
  const isSecret = (block: unknown): boolean =>
    [["label", "text"], ["block_id"], ["element", "action_id"]].some((path) => SECRETIVE.test(textAt(block, ...path)));
  const secretIds = Array.isArray(blocks) ? blocks.filter(isSecret).map((block) => textAt(block, "block_id")) : [];
  // A modal sends its entries by block id.
  const text = JSON.stringify(detail, (name, value: unknown) => {
    if (name !== "values" || !isObject(value)) return value;
    return { ...value, ...Object.fromEntries(secretIds.filter((id) => id in value).map((id) => [id, HIDDEN])) };
  });
  // If redaction breaks the JSON, everything is hidden.
  return parseJson(redactBody(text)) ?? HIDDEN;
}

/** Returns a nested member of a value, or undefined if there is none. */
function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** Returns a nested text of a value, or an empty text if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === "string" ? found : "";
}
