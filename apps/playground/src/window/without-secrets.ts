import { redactBody } from "@media-ops/secrets";
import { isObject, textAt } from "./json.js";

const HIDDEN = "[redacted]";
// What a field is called, or headed with, into which nobody would want others to look.
const SECRETIVE = /(?:^|[^a-z])(?:api[ _-]?)?(?:keys?|tokens?|secrets?|passwords?|passphrase)(?:$|[^a-z])/i;

/** What went between Slack and the app, without keys and tokens, and without what was typed into fields for them. */
export function withoutSecrets(detail: unknown): unknown {
  const without = withoutTyped(detail, secretBlocksIn(detail), []);
  const text = JSON.stringify(without);
  if (text === undefined) return null;
  try {
    return JSON.parse(redactBody(text));
  } catch {
    // It can't be told what is a secret in it.
    return HIDDEN;
  }
}

/** The ids of the blocks in which a secret is asked for, by what stands over them. */
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

/** @param path The names under which the value stands: of a field's state, its block's id and its own. */
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
