import type { LogKind } from "../api.js";
import { type Filter, reason, statusSaid } from "../filters/field-types.js";
import { type Entry, type Grammar, type Parameter, parametersNamed } from "../grammar.js";
import { type FieldSpec, fieldsOf, kinds } from "../kinds.js";
import { TIME_WORDS } from "../times.js";
import type { Read, ReadContext } from "../values/value-type.js";
import { DASHES, isQuoted, joined, type Marked, OPERATORS, plain, writeWord } from "../words.js";
import { isZoneWord } from "../zones.js";
import type { Bare, Draft, Fault, Item } from "./items.js";

/** The state of a command while it is read. */
export interface Reading {
  readonly entry: Entry;
  readonly grammar: Grammar;
  readonly context: ReadContext;
  readonly draft: Draft;
  /** The values so far, by member of the parsed command. */
  readonly values: Map<string, unknown>;
  /** The items that each value came from. */
  readonly sources: Map<string, readonly Item[]>;
  readonly filters: Filter[];
  readonly faults: Fault[];
  readonly unread: Set<Item>;
}

/** The interpretation of some items. */
export type Finding = { readonly used: readonly Item[] } & (
  | { readonly fault: Fault }
  | { readonly filter: Filter }
  | { readonly parameter: Parameter; readonly value: unknown }
);

/** Stores a finding, and marks its items as read. */
export function record({ values, sources, filters, faults, unread }: Reading, finding: Finding): void {
  for (const item of finding.used) unread.delete(item);
  if ("fault" in finding) {
    faults.push(finding.fault);
  } else if ("filter" in finding) {
    filters.push(finding.filter);
  } else {
    values.set(finding.parameter.member, finding.value);
    sources.set(finding.parameter.member, finding.used);
  }
}

/** The kind that has been read. */
export function kindOf({ values }: Reading): LogKind | undefined {
  const kind = values.get("kind");
  return kinds.find((name) => name === kind);
}

/** The unread words without a name, in order. */
export function bareWords({ draft, unread }: Reading): Bare[] {
  return draft.items.filter((item): item is Bare => item.form === "bare" && unread.has(item));
}

/** The item before or after another. */
export function neighbour({ draft }: Reading, item: Item, distance: -1 | 1): Item | undefined {
  return draft.items[draft.items.indexOf(item) + distance];
}

/** The next item, if it is an unread word without a name. */
export function bareBehind(reading: Reading, item: Item): Bare | undefined {
  const next = neighbour(reading, item, 1);
  return next?.form === "bare" && reading.unread.has(next) ? next : undefined;
}

/** A value, and the items that it was read from. */
export interface ReadItems<T> {
  readonly read: Read<T>;
  readonly used: readonly Item[];
}

/** Reads the value of a parameter that begins with an item. */
export function readValue(
  reading: Reading,
  { value: type }: Parameter,
  item: Item,
  value: Marked,
  subject: string,
): ReadItems<unknown> {
  // Values other than free text are normalized, because input methods may change characters.
  const parse = ({ text }: Marked): Read<unknown> => {
    const read = type.parse(type.distinctive ? plain(text) : text, { ...reading.context, subject });
    return read.ok || item.form !== "keyed" ? read : (type.parseNamed?.(text) ?? read);
  };
  if (!type.spaced) return { read: parse(value), used: [item] };
  const { more } = type;
  if (!more) return readLongest(reading, item, value, parse);
  // "when:failed over 10m" may be about another option.
  const isOption = (word: string): boolean => parametersNamed(reading.entry, word).length > 0;
  return readLongest(reading, item, value, parse, {
    isMore: (word) => more.test(word),
    isWrong: (word) => more.test(word) && !isOption(word),
  });
}

// The longest times in words are "1 hour 2 minutes 3 seconds ago" and "last monday at 2 pm in Ho Chi Minh".
const MOST_WORDS = 8;
const TIME_WORD = new RegExp(`^(?:${TIME_WORDS})$`, "i");
// The words that can continue a value: the end of a range, a unit, a zone, more of a time.
const MORE = new RegExp(
  `^(?:[.…‥]+|to|[-–—]|\\d.*|[ap]m|[kmgt]i?b?|b|bytes?|from|now|utc|gmt|[+-]\\d.*|${TIME_WORDS})$`,
  "i",
);

/** Which of the following words belong to a value. */
interface Following {
  /** Whether a word can continue it. */
  isMore(word: string): boolean;
  /** Whether a word is a part of an invalid value. */
  isWrong(word: string): boolean;
}

const ofTimes: Following = {
  isMore: (word) => MORE.test(word) || isZoneWord(word),
  // If a time in words is invalid, all of its words are wrong: since:20 november.
  isWrong: (word) => TIME_WORD.test(word) || isZoneWord(word),
};

/** Reads a value with as many of the following words as fit: `since:2 hours ago`. */
export function readLongest<T>(
  reading: Reading,
  item: Item,
  value: Marked,
  read: (value: Marked) => Read<T>,
  { isMore, isWrong } = ofTimes,
): ReadItems<T> {
  const words = wordsBehind(reading, item, isMore);
  for (let count = words.length; count > 0; count--) {
    const used = words.slice(0, count);
    const longer = read(joined(" ", value, ...used));
    if (longer.ok) return { read: longer, used: [item, ...used] };
  }
  const short = read(value);
  const wrong = short.ok ? [] : wordsBehind(reading, item, isWrong);
  return wrong.length === 0
    ? { read: short, used: [item] }
    : { read: read(joined(" ", value, ...wrong)), used: [item, ...wrong] };
}

function wordsBehind(reading: Reading, item: Item, isMore: (word: string) => boolean): Bare[] {
  const words: Bare[] = [];
  for (let word = bareBehind(reading, item); word && words.length < MOST_WORDS; word = bareBehind(reading, word)) {
    if (isQuoted(word) || !isMore(plain(word.text))) break;
    words.push(word);
  }
  return words;
}

/** The probable meaning of a single word. */
export interface Guess {
  /** `status:404` for `404`. */
  readonly text: string;
  /** 3 if it is unambiguous, 2 if it may be a channel, 1 if it may be part of a URL. */
  readonly confidence: 1 | 2 | 3;
}

// Other is a word of any sentence.
const reasons = (reason.values ?? []).map(([name]) => name).filter((name) => name !== "other");

/** The shapes of values that hardly fit another field, in the order in which they are tried. */
const looks: readonly (readonly [field: string, operator: string, like: RegExp, beside?: string])[] = [
  ["status", ":", /^(?:[1-5]\d\d|[1-5]xx)$/i],
  ["elapsed", ">", /^\d+(?:\.\d+)? ?m?s$/i],
  ["bytes", ">", /^\d+(?:\.\d+)? ?[kmgt]i?b$/i],
  ["url", ":", /^https?:\/\//i],
  ["type", ":", /^(?:session|connection)\.[a-z.*]+$/i],
  ["type", ":", /^admission\.[a-z.*]+$/i, "outcome"],
  ["outcome", ":", /^refused$/i],
  ["reason", ":", new RegExp(`^(?:${reasons.join("|")})$`, "i")],
  ["role", ":", /^(?:recvonly|sendonly|sendrecv)$/i],
  ["target", "~", /^[A-Z][A-Za-z]*(?:Channel|Connection|Session|Client)s?$/],
  ["connection", ":", /^(?:[\dA-Z]{4,}[…*][\dA-Z]*|[\dA-Z]{26})$/],
  ["session", ":", /^(?:[\dA-Z]{4,}[…*][\dA-Z]*|[\dA-Z]{26})$/],
];

// Looks like a name, and not like a typing error.
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}@._/:*…-]*$/u;

const COMPARED = new RegExp(`^([${OPERATORS}]+)(.+)$`);

// Two dashes begin an option of other programs, and negate nothing.
const SIGNED = new RegExp(`^([${DASHES}]{1,2}|!)(.*)$`);

/** `status:404` for `404`, `role:recvonly` for `recvonly`; undefined if the word suggests nothing. */
export function guess(word: Marked, entry: Entry, kind: LogKind | undefined, context: ReadContext): Guess | undefined {
  const fields = kind && entry.spec.filters ? fieldsOf(kind) : [];
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  const text = plain(word.text);

  const [, operator = "", value = ""] = COMPARED.exec(text) ?? [];
  const looksLike = (typed: string) =>
    looks.find(([name, , like, beside = name]) => has(name) && has(beside) && like.test(typed));
  const compared = operator && (looksLike(value)?.[0] ?? fields.find((field) => reads(field, value, context))?.name);
  if (compared) return { text: `${compared}${operator}${value}`, confidence: 3 };
  const look = looksLike(word.text) ?? looksLike(text);
  if (look) return { text: `${look[0]}${look[1]}${writeWord(word)}`, confidence: 3 };
  const [, sign = "", name = text] = SIGNED.exec(text) ?? [];
  const said = has("status") || has("outcome") ? statusSaid(name) : undefined;
  const meant = said === "status:0" && has("reason") ? "reason:*timeout" : said;
  if (meant) return { text: `${sign.length === 1 ? "-" : ""}${meant}`, confidence: 3 };
  const option = entry.options.find(
    ({ value: type }) => type.isSure?.(text) || (type.distinctive && type.parse(text, context).ok),
  );
  if (option) return { text: `${option.word}:${writeWord(word)}`, confidence: 3 };
  if (!NAME.test(text)) return undefined;
  const hasChannel = fields.some((field) => field.name === "channel" && !field.minor);
  if (hasChannel) return { text: `channel:${writeWord(word)}`, confidence: 2 };
  return has("url") && /[./]/.test(text) ? { text: `url~${writeWord(word)}`, confidence: 1 } : undefined;
}

/** Whether a text can be the value of a field; almost anything could be a time. */
function reads({ type }: FieldSpec, value: string, context: ReadContext): boolean {
  return type.is === "ordered" && !type.isTime && type.read(value, context).ok;
}
