import { type FieldSpec, fieldsOf } from "../filters/fields.js";
import { statusSaid } from "../filters/ordered-types.js";
import type { Entry } from "../grammar.js";
import type { LogKind } from "../kinds.js";
import type { ReadContext } from "../values/value-type.js";
import { type Marked, OPERATORS, plain, writeWord } from "../words.js";

/** What a word that stands alone was likely meant to be. */
export interface Guess {
  /** `status:404` for `404`. */
  readonly text: string;
  /** 3 where it looks like nothing else, 2 where it may be a channel, 1 where it may be a part of an address. */
  readonly likely: 1 | 2 | 3;
}

/** What texts look like that can hardly be meant for another field, in the order in which they are tried. */
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

/** What reads like a name, and no more like a slip of the keyboard. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}@._/:*…-]*$/u;

const COMPARED = new RegExp(`^([${OPERATORS}]+)(.+)$`);

/** `status:404` for `404`, `role:recvonly` for `recvonly`; undefined where the word says nothing. */
export function guess(word: Marked, entry: Entry, kind: LogKind | undefined, context: ReadContext): Guess | undefined {
  const fields = kind && entry.spec.filters ? fieldsOf(kind) : [];
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const text = plain(word.text);

  const [, operator = "", value = ""] = COMPARED.exec(text) ?? [];
  const looksLike = (typed: string) => looks.find(([name, , like]) => has(name) && like.test(typed));
  const name = operator && (looksLike(value)?.[0] ?? fields.find((field) => reads(field, value, context))?.name);
  if (name) return { text: `${name}${operator}${value}`, likely: 3 };
  const look = looksLike(word.text) ?? looksLike(text);
  if (look) return { text: `${look[0]}${look[1]}${writeWord(word)}`, likely: 3 };
  const said = has("status") ? statusSaid(text) : undefined;
  if (said) return { text: `status:${said}`, likely: 3 };
  const option = entry.options.find(({ value: type }) => type.telling && type.parse(text, context).ok);
  if (option) return { text: `${option.word}:${writeWord(word)}`, likely: 3 };
  if (!NAME.test(text)) return undefined;
  if (has("channel")) return { text: `channel:${writeWord(word)}`, likely: 2 };
  return has("url") && /[./]/.test(text) ? { text: `url~${writeWord(word)}`, likely: 1 } : undefined;
}

/** Whether what follows an operator can be the value of a field; times are too much like anything. */
function reads({ type }: FieldSpec, value: string, context: ReadContext): boolean {
  return type.is === "ordered" && !type.isTime && type.read(value, context).ok;
}
