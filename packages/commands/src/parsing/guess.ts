import { statusSaid } from "../filters/ordered-types.js";
import type { Entry } from "../grammar.js";
import { type FieldSpec, fieldsOf, type LogKind } from "../kinds.js";
import type { ReadContext } from "../values/value-type.js";
import { type Marked, OPERATORS, plain, writeWord } from "../words.js";

/** What a single word probably means. */
export interface Guess {
  /** `status:404` for `404`. */
  readonly text: string;
  /** 3 if it can be nothing else, 2 if it may be a channel, 1 if it may be part of an address. */
  readonly confidence: 1 | 2 | 3;
}

/** The shapes of values that hardly fit another field, in the order in which they are tried. */
const looks: readonly (readonly [field: string, operator: string, like: RegExp])[] = [
  ["status", ":", /^(?:[1-5]\d\d|[1-5]xx)$/i],
  ["elapsed", ">", /^\d+(?:\.\d+)? ?m?s$/i],
  ["bytes", ">", /^\d+(?:\.\d+)? ?[kmgt]i?b$/i],
  ["url", ":", /^https?:\/\//i],
  ["type", ":", /^(?:session|connection)\.[a-z.*]+$/i],
  ["target", "~", /^[A-Z][A-Za-z]*(?:Channel|Connection|Session|Client)s?$/],
  ["connection", ":", /^(?:[\dA-Z]{4,}[…*][\dA-Z]*|[\dA-Z]{26})$/],
  ["session", ":", /^(?:[\dA-Z]{4,}[…*][\dA-Z]*|[\dA-Z]{26})$/],
];

// Looks like a name, and not like a slip of the keyboard.
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}@._/:*…-]*$/u;

const COMPARED = new RegExp(`^([${OPERATORS}]+)(.+)$`);

/** `status:404` for `404`, `role:recvonly` for `recvonly`; undefined if the word suggests nothing. */
export function guess(word: Marked, entry: Entry, kind: LogKind | undefined, context: ReadContext): Guess | undefined {
  const fields = kind && entry.spec.filters ? fieldsOf(kind) : [];
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const text = plain(word.text);

  const [, operator = "", value = ""] = COMPARED.exec(text) ?? [];
  const looksLike = (typed: string) => looks.find(([name, , like]) => has(name) && like.test(typed));
  const name = operator && (looksLike(value)?.[0] ?? fields.find((field) => reads(field, value, context))?.name);
  if (name) return { text: `${name}${operator}${value}`, confidence: 3 };
  const look = looksLike(word.text) ?? looksLike(text);
  if (look) return { text: `${look[0]}${look[1]}${writeWord(word)}`, confidence: 3 };
  const statuses = has("status") ? statusSaid(text) : undefined;
  if (statuses) return { text: `status:${statuses}`, confidence: 3 };
  const option = entry.options.find(({ value: type }) => type.distinctive && type.parse(text, context).ok);
  if (option) return { text: `${option.word}:${writeWord(word)}`, confidence: 3 };
  if (!NAME.test(text)) return undefined;
  if (has("channel")) return { text: `channel:${writeWord(word)}`, confidence: 2 };
  return has("url") && /[./]/.test(text) ? { text: `url~${writeWord(word)}`, confidence: 1 } : undefined;
}

/** Whether a text can be the value of a field; almost anything could be a time. */
function reads({ type }: FieldSpec, value: string, context: ReadContext): boolean {
  return type.is === "ordered" && !type.isTime && type.read(value, context).ok;
}
