import type { FakeSlack, TranscriptEntry } from "@media-ops/fake-slack";
import { redactBody } from "@media-ops/secrets";
import { createTail, type Tail } from "./log-tap.js";
import type { Exchange } from "./protocol.js";

export interface Exchanges extends Pick<Tail<Exchange>, "items" | "watch"> {
  stop(): void;
}

/** The requests between Slack and the app so far, and all that follow until it is stopped. */
export function followExchanges(slack: FakeSlack, { keeps }: { keeps: number }): Exchanges {
  const tail = createTail<Exchange>({ keeps });
  let lastId = 0;
  const take = (entry: TranscriptEntry): void => {
    const { at, what, name, detail } = entry;
    if (what !== "call" && what !== "delivery") return;
    lastId += 1;
    const shown = withoutSecrets(detail);
    const status = fieldOf(detail, "status");
    tail.add({
      id: lastId,
      at,
      what,
      name,
      // An unanswered delivery has 0.
      status: typeof status === "number" && status > 0 ? status : undefined,
      about: aboutOf(entry, shown),
      detail: shown,
    });
  };
  for (const entry of slack.transcript) take(entry);
  return { items: tail.items, watch: tail.watch, stop: slack.watch(take) };
}

/** The summary of an entry; its detail is redacted already. */
function aboutOf({ what, name }: Pick<TranscriptEntry, "what" | "name">, detail: unknown): string {
  return what === "call" ? aboutCall(name, detail) : aboutDelivery(name, detail);
}

function aboutCall(name: string, detail: unknown): string {
  const answer = fieldOf(detail, "answer");
  const isOk = answer === "ok" || fieldOf(answer, "ok") === true;
  const error = textAt(answer, "error");
  return `${name} → ${isOk ? "ok" : error || String(fieldOf(detail, "status"))}`;
}

function aboutDelivery(name: string, detail: unknown): string {
  const payload = fieldOf(detail, "payload");
  const retry = fieldOf(detail, "retry", "number");
  const again = typeof retry === "number" ? ` (retry ${retry})` : "";
  return `${sent(name, payload)}${again}`;
}

function sent(name: string, payload: unknown): string {
  if (name === "slash_command") return `${textAt(payload, "command")} ${unescaped(textAt(payload, "text"))}`.trim();
  if (name === "event") return textAt(payload, "event", "type");
  const type = textAt(payload, "type");
  const of = textAt(payload, "view", "title", "text");
  if (type === "shortcut") return `${type} ${textAt(payload, "callback_id")}`;
  return `${type} ${type === "block_actions" ? action(payload) : of}`.trim();
}

/** The pressed button's text, or the chosen option. */
function action(payload: unknown): string {
  const actions = fieldOf(payload, "actions");
  const first: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const label = textAt(first, "text", "text");
  if (label !== "") return label;
  const actionId = textAt(first, "action_id");
  const chosen = textAt(first, "selected_option", "text", "text") || plainChoice(first);
  return chosen === "" ? actionId : `${actionId}: ${chosen}`;
}

/** The choice of a menu with several or plain values. */
function plainChoice(first: unknown): string {
  if (!isObject(first)) return "";
  const [, chosen] = Object.entries(first).find(([name]) => name.startsWith("selected_")) ?? [];
  if (Array.isArray(chosen)) return chosen.map((one: unknown) => textAt(one, "text", "text") || String(one)).join(", ");
  return typeof chosen === "string" || typeof chosen === "number" ? String(chosen) : "";
}

/** As it was typed. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

const HIDDEN = "[redacted]";
// Names and labels of fields for secrets.
const SECRETIVE = /(?:^|[^a-z])(?:api[ _-]?)?(?:keys?|tokens?|secrets?|passwords?|passphrase)(?:$|[^a-z])/i;

/** A request without keys and tokens, and without entries of fields for secrets. */
function withoutSecrets(detail: unknown): unknown {
  const without = withoutTyped(detail, secretBlocksIn(detail), []);
  const text = JSON.stringify(without);
  if (text === undefined) return null;
  try {
    return JSON.parse(redactBody(text));
  } catch {
    // Redaction broke the JSON, so that everything is hidden.
    return HIDDEN;
  }
}

/** The ids of the blocks whose label asks for a secret. */
function secretBlocksIn(value: unknown): ReadonlySet<string> {
  const ids = new Set<string>();
  const look = (inner: unknown): void => {
    if (Array.isArray(inner)) inner.forEach(look);
    if (!isObject(inner)) return;
    if (inner.type === "input" && SECRETIVE.test(textAt(inner, "label", "text"))) ids.add(textAt(inner, "block_id"));
    Object.values(inner).forEach(look);
  };
  look(value);
  return ids;
}

/** @param path The keys that lead to the value: for an entry, its block's id and its own. */
function withoutTyped(value: unknown, secretBlocks: ReadonlySet<string>, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTyped(item, secretBlocks, []));
  if (!isObject(value)) return value;
  const names = [...path.slice(-2), textAt(value, "block_id"), textAt(value, "action_id")];
  const isSecret =
    value.type === "plain_text_input" && names.some((name) => secretBlocks.has(name) || SECRETIVE.test(name));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isTyped = name === "value" || name === "initial_value";
      if (isSecret && isTyped && typeof inner === "string") return [name, HIDDEN];
      return [name, withoutTyped(inner, secretBlocks, [...path, name])];
    }),
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of a value that may be an object, or a nested one. */
function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** The same if it is a text; else an empty text. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === "string" ? found : "";
}
