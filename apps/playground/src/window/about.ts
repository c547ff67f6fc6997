import type { TranscriptEntry } from "@media-ops/fake-slack";
import { fieldOf, isObject, textAt } from "./json.js";

/** What an entry is about, in one line; its detail is rid of secrets already. */
export function aboutOf({ what, name }: Pick<TranscriptEntry, "what" | "name">, detail: unknown): string {
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

/** The button by what stands on it, or what was chosen. */
function action(payload: unknown): string {
  const actions = fieldOf(payload, "actions");
  const first: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const label = textAt(first, "text", "text");
  if (label !== "") return label;
  const actionId = textAt(first, "action_id");
  const chosen = textAt(first, "selected_option", "text", "text") || plainChoice(first);
  return chosen === "" ? actionId : `${actionId}: ${chosen}`;
}

/** What is chosen in a menu whose choices are ids or dates. */
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
