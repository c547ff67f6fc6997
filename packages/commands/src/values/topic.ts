import { nearestOf } from "../nearest.js";
import { quote } from "../quote.js";
import { nameOf } from "../signs.js";
import { refused, type Topic, understood, type ValueType } from "./value-type.js";

/** The topic that a text names. Of several words, such as `logs webhooks`, the last is the closest to what is wanted. */
export function topicNamed(text: string, topics: readonly Topic[]): string | undefined {
  const words = nameOf(text.trim())
    .replace(/\bmedia[\s_]+api/, "media-api")
    .split(/\s+/);
  const named = [words.join("-"), ...words].map(
    (word) => topics.find(({ name, aliases }) => name === word || aliases.includes(word))?.name,
  );
  const [whole, ...parts] = named;
  return whole ?? (parts.includes(undefined) ? undefined : parts.at(-1));
}

/** What there is help on. */
export const topic: ValueType<string> = {
  name: "topic",
  example: "filters",
  parse(text, { topics }) {
    const named = topicNamed(text, topics);
    if (named) return understood(named);
    const forms = topics.flatMap(({ name, aliases }) => [name, ...aliases]);
    const near = topicNamed(nearestOf(text, forms) ?? "", topics);
    const nearest =
      near ??
      text
        .split(/\s+/)
        .map((word) => topicNamed(word, topics))
        .find(Boolean);
    return refused(`There is no help on ${quote(text)}.`, nearest);
  },
  complete: ({ topics }) => topics.map(({ name, about }) => [name, about]),
  write: (name) => name,
  describe: (name) => name,
};
