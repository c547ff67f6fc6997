import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { redactBody } from "@media-ops/secrets";
import { parseJson } from "../json.js";
import { createTail, type Tail } from "./log-tap.js";
import type { Exchange } from "./protocol.js";

/** The latest requests between Slack and the app. */
export interface Exchanges extends Pick<Tail<Exchange>, "items" | "watch"> {
  stop(): void;
}

/** Returns the requests between Slack and the app so far, and adds new ones until it is stopped. */
export function followExchanges(slack: FakeSlack, { keeps }: { keeps: number }): Exchanges {
  const tail = createTail<Exchange>({ keeps });
  const take = ({ at, what, name, detail }: TranscriptEntry): void => {
    if (what !== "call" && what !== "delivery") return;
    const shown = withoutSecrets(detail);
    const about = what === "call" ? aboutCall(name, shown) : aboutDelivery(name, shown);
    const { status } = detail;
    // An unanswered delivery has status 0.
    const answered = typeof status === "number" && status > 0 ? status : undefined;
    tail.add((id) => ({ id, at, what, name, status: answered, about, detail: shown }));
  };
  for (const entry of slack.transcript) take(entry);
  return { items: tail.items, watch: tail.watch, stop: slack.watch(take) };
}

function aboutCall(name: string, detail: unknown): string {
  const answer = fieldOf(detail, "answer");
  const isOk = answer === "ok" || fieldOf(answer, "ok") === true;
  return `${name} → ${isOk ? "ok" : textAt(answer, "error") || String(fieldOf(detail, "status"))}`;
}

function aboutDelivery(name: string, detail: unknown): string {
  const retry = fieldOf(detail, "retry", "number");
  return `${sent(name, fieldOf(detail, "payload"))}${typeof retry === "number" ? ` (retry ${retry})` : ""}`;
}

function sent(name: string, payload: unknown): string {
  if (name === "slash_command") return `${textAt(payload, "command")} ${unescaped(textAt(payload, "text"))}`.trim();
  if (name === "event") {
    // Only the detail shows who was mentioned.
    const said = unescaped(textAt(payload, "event", "text").replaceAll(/<@\w+>/g, "@…"));
    return `${textAt(payload, "event", "type")} ${said}`.trim();
  }
  const type = textAt(payload, "type");
  if (type === "shortcut" || type === "message_action") return `${type} ${textAt(payload, "callback_id")}`;
  if (type !== "block_actions") return `${type} ${textAt(payload, "view", "title", "text")}`.trim();
  const action = fieldOf(payload, "actions", "0");
  const button = textAt(action, "text", "text");
  const chosen = textAt(action, "selected_option", "text", "text");
  return `${type} ${button || [textAt(action, "action_id"), chosen].filter(Boolean).join(": ")}`;
}

/** Returns the text as it was typed. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const HIDDEN = "[redacted]";
// Matches names and labels of fields for secrets.
const SECRETIVE = /(?:^|[^a-z])(?:keys?|tokens?|secrets?|passwords?|passphrase)(?:$|[^a-z])/i;

/** Returns a request without keys and tokens, and without entries of fields for secrets. */
function withoutSecrets(detail: TranscriptEntry["detail"]): unknown {
  const secretBlocks = secretBlocksIn(fieldOf(detail, "payload", "view", "blocks"));
  // A modal sends its entries by block id.
  const text = JSON.stringify(detail, (name, value: unknown) =>
    name === "values" && isObject(value) ? withoutEntries(value, secretBlocks) : value,
  );
  // If redaction breaks the JSON, everything is hidden.
  return parseJson(redactBody(text)) ?? HIDDEN;
}

function withoutEntries(values: JsonObject, secretBlocks: readonly string[]): JsonObject {
  return { ...values, ...Object.fromEntries(secretBlocks.filter((id) => id in values).map((id) => [id, HIDDEN])) };
}

/** Returns the ids of the blocks with a field for a secret. */
function secretBlocksIn(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  return blocks
    .filter((block) =>
      [["label", "text"], ["block_id"], ["element", "action_id"]].some((path) =>
        SECRETIVE.test(textAt(block, ...path)),
      ),
    )
    .map((block) => textAt(block, "block_id"));
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
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
