import { nearestOf, slips } from "./nearest.js";
import { oneOfThese, takes } from "./quote.js";
import { refused, understood, type ValueType } from "./values/value-type.js";
import { nameOf } from "./words.js";

/** The kinds of logs, by the names that are used everywhere: here, in the SDK and in the formatters. */
const table = {
  sessions: {
    one: "session",
    about: "channel sessions that have ended",
    aliases: ["session", "sess"],
  },
  connections: {
    one: "connection",
    about: "client connections that have ended",
    aliases: ["connection", "conn", "conns"],
  },
  api: {
    one: "API",
    about: "calls of this service's API",
    aliases: ["apis"],
  },
  "media-api": {
    one: "media API",
    about: "calls of the media server's API",
    aliases: ["mediaapi", "media-apis"],
  },
  webhooks: {
    one: "webhook",
    about: "webhook deliveries, one entry per attempt",
    aliases: ["webhook", "hook", "hooks"],
  },
} as const satisfies Record<string, { one: string; about: string; aliases: readonly string[] }>;

/** The name of a kind of log. */
export type LogKind = keyof typeof table;

/** The kinds of logs, in the order in which they are offered. */
export const kinds: readonly LogKind[] = Object.keys(table).filter((name): name is LogKind =>
  Object.hasOwn(table, name),
);

/** The kinds of logs, the most used one first. */
export const likelyKinds: readonly LogKind[] = ["webhooks", ...kinds.filter((kind) => kind !== "webhooks")];

/** What a kind is called in a sentence, what its entries are, and its aliases. */
export function kindWords(kind: LogKind): { one: string; about: string; aliases: readonly string[] } {
  return table[kind];
}

/** The kind that a text names, in any form: `hooks`, `Media API`, `media_api`. */
export function kindNamed(text: string): LogKind | undefined {
  const word = nameOf(text.trim()).replaceAll(/[\s_]+/g, "-");
  return kinds.find((kind) => kind === word || table[kind].aliases.some((alias) => alias === word));
}

/** Every word that names a kind. */
export const kindNames: readonly string[] = kinds.flatMap((kind) => [kind, ...table[kind].aliases]);

/** The kind that was probably meant; undefined if none is near, or two are equally near. */
export function kindNear(text: string): LogKind | undefined {
  const near = nearestOf(text, kindNames);
  const kind = near && kindNamed(near);
  if (!near || !kind || near.startsWith(text.toLowerCase())) return kind || undefined;
  const typed = text.toLowerCase();
  const isOnly = kindNames.every((name) => kindNamed(name) === kind || slips(name, typed) > slips(near, typed));
  return isOnly ? kind : undefined;
}

/** A kind of log, in any of its forms. */
export const kind: ValueType<LogKind> = {
  name: "kind",
  example: "webhooks",
  distinctive: true,
  choices: kinds,
  parse(text, { subject }) {
    const named = kindNamed(text);
    if (named) return understood(named);
    const nearest = kindNear(text);
    return refused(takes(subject, oneOfThese(kinds), text), nearest);
  },
  complete: () => kinds.map((name) => [name, kindWords(name).about]),
  write: (name) => name,
  describe: (name) => kindWords(name).one,
};
