import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { redactBody } from "@media-ops/secrets";
import * as z from "zod";
import { isObject, parseJson } from "../json.js";
import type { LogLine } from "./protocol.js";

/** The last log lines, numbered from 1, oldest first. */
export class Log {
  readonly lines: LogLine[] = [];
  readonly #keeps: number;
  readonly #listeners = new Set<() => void>();
  #lastId = 0;

  constructor(keeps: number) {
    this.#keeps = keeps;
  }

  add(line: Omit<LogLine, "id">): void {
    this.#lastId += 1;
    this.lines.push({ id: this.#lastId, ...line });
    if (this.lines.length > this.#keeps) this.lines.shift();
    for (const listener of this.#listeners) listener();
  }

  /** Calls back after each new line. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a destination for the `to` option of a program's `createLog`. Lines that are not JSON are kept as text. */
  to(from: "service" | "bot", now = Date.now) {
    return {
      write: (line: string): void => {
        const text = redactBody(line);
        const parsed = written.safeParse(parseJson(text)).data ?? { level: "info" as const, msg: text.trimEnd() };
        const { level, time = "", msg, ...detail } = parsed;
        this.add({ from, at: Date.parse(time) || now(), level, text: msg, detail });
      },
    };
  }

  /** Adds the requests between Slack and the app so far, and new ones until the returned function is called. */
  follow(slack: FakeSlack): () => void {
    const take = ({ at, what, name, detail: sent }: TranscriptEntry): void => {
      if (what !== "call" && what !== "delivery") return;
      const detail = withoutSecrets(sent);
      const status = Number(sent.status);
      const text = what === "call" ? `↑ ${name} → ${resultOf(detail)}` : `↓ ${aboutDelivery(detail)}`;
      // An unanswered delivery has status 0.
      const level = status >= 200 && status < 400 ? "info" : "warn";
      this.add({ from: "slack", at, level, text: status > 0 ? text : `${text} → no answer`, detail });
    };
    for (const entry of slack.transcript) take(entry);
    return slack.watch(take);
  }
}

const written = z.looseObject({
  level: z.enum(["trace", "debug", "info", "warn", "error", "fatal"]).catch("info"),
  time: z.string().optional().catch(undefined),
  msg: z.string().catch(""),
});

function resultOf(call: unknown): string {
  const answer = fieldOf(call, "answer");
  const isOk = answer === "ok" || fieldOf(answer, "ok") === true;
  return isOk ? "ok" : textAt(answer, "error") || String(fieldOf(call, "status"));
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

function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** Returns a nested text of a value, or an empty text if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === "string" ? found : "";
}
