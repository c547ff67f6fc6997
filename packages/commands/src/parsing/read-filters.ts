import { readFilter } from "../filters/read-filter.js";
import { optionOwners, parametersNamed } from "../grammar.js";
import { type FieldSpec, fieldNamed, fieldsOf, kindsWith, kindWords, type LogKind } from "../kinds.js";
import { nearestOf } from "../nearest.js";
import { capital, oneOfThese, quote, shorten } from "../quote.js";
import { COMMAS, keyOf, type Marked, nameOf, splitAt, writeText, writeWord } from "../words.js";
import { type Fault, faultAt, faultWithHelp, headOf, type Keyed, textOf } from "./items.js";
import { type Finding, kindOf, type Reading, readLongest, record } from "./reading.js";

/** Reads all named items that are no options: filters, or mistakes. */
export function readFilters(reading: Reading): void {
  const { entry, draft, unread } = reading;
  const kind = entry.spec.filters ? kindOf(reading) : undefined;
  // The fields depend on the kind.
  if (entry.spec.filters && !kind) return;
  for (const item of draft.items) {
    if (item.form === "bare" || !unread.has(item)) continue;
    const finding = readKeyed(reading, item, kind);
    record(reading, finding);
    // Only the first fault is reported.
    if ("fault" in finding) return;
  }
}

function readKeyed(reading: Reading, item: Keyed, kind: LogKind | undefined): Finding {
  const { draft, context } = reading;
  const field = kind && fieldNamed(kind, item.key);
  if (!field) return { used: [item], fault: unknownKey(reading, item, kind) };
  const fault = blankFault(reading, item, field);
  if (fault) return { used: [item], fault };

  const { minus, operator } = item;
  const { read, used } =
    field.type.is === "ordered"
      ? readLongest(reading, item, item.value, (value) => readFilter(field, { minus, operator, value }, context))
      : { read: readFilter(field, item, context), used: [item] };
  if (read.ok) return { used, filter: read.value };
  const { reason, nearest, help } = read;
  if (nearest === undefined && help !== undefined)
    return { used, fault: faultWithHelp(reading.grammar, used, reason, help) };
  return { used, fault: faultAt(draft, used, reason, nearest) };
}

const COMMA = new RegExp(`[${COMMAS}]`, "g");
// Semicolons and the like are also parts of addresses.
const BETWEEN = new RegExp(`[${COMMAS};&|]`, "g");

/** Two filters in one word: `type:session.created,status:404`. */
function blankFault({ draft, grammar }: Reading, item: Keyed, { type }: FieldSpec): Fault | undefined {
  const [first, ...others] = splitAt(item.value, type.is === "text" ? COMMA : BETWEEN);
  const isFilter = (part: Marked): boolean => grammar.isKey(keyOf(part)?.name ?? "");
  if (!first || !others.some(isFilter)) return undefined;
  const parts = others.map((part) => `${isFilter(part) ? " " : ","}${writeWord(part)}`);
  const reason = "Separate filters with spaces only.";
  return faultAt(draft, [item], reason, `${headOf(item)}${writeWord(first)}${parts.join("")}`);
}

/** A name that is neither an option of the command nor a field of the log. */
function unknownKey(reading: Reading, item: Keyed, kind: LogKind | undefined): Fault {
  const key = nameOf(item.key);
  return (
    insteadFault(reading, item, key) ??
    otherKindFault(reading, item, key, kind) ??
    otherCommandFault(reading, item, key, kind) ??
    nearFault(reading, item, key, kind) ??
    colonFault(reading, item) ??
    nowhereFault(reading, item, kind)
  );
}

/** `token until:2h`, which has another name */
function insteadFault({ entry, draft, context, grammar }: Reading, item: Keyed, key: string): Fault | undefined {
  const { name, instead = {} } = entry.spec;
  const other = Object.hasOwn(instead, key) ? instead[key] : undefined;
  if (!other) return undefined;
  const option = entry.options.find(({ word }) => word === other.use);
  const read = option?.value.parse(item.value.text, { ...context, subject: other.use });
  const reason = `${name} has no ${key}; ${other.rule}.`;
  const value = read?.ok ? item.value.text : undefined;
  // Another duration or time would be another request.
  if (value === undefined) return faultWithHelp(grammar, [item], reason, name);
  return faultAt(draft, [item], reason, `${other.use}:${writeText(value)}`);
}

/** `webhooks channel:lobby`, a field of other logs */
function otherKindFault({ draft }: Reading, item: Keyed, key: string, kind: LogKind | undefined): Fault | undefined {
  const having = kindsWith(key).map((other) => kindWords(other).one);
  if (!kind || having.length === 0) return undefined;
  const others = oneOfThese(having, "and");
  return faultAt(draft, [item], `${capital(kindWords(kind).one)} logs have no field ${key}; ${others} logs have it.`);
}

/** `statsu>=400` */
function nearFault(
  { draft, entry, grammar }: Reading,
  item: Keyed,
  key: string,
  kind: LogKind | undefined,
): Fault | undefined {
  const words = [...entry.options, ...entry.arguments].flatMap((parameter) => parameter.words);
  const fields = kind ? fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases]) : [];
  const near = nearestOf(key, [...words, ...fields]);
  if (near === undefined) return undefined;
  // until9:30 has lost more than its colon.
  if (/\d/.test(key) && parametersNamed(entry, near).some(({ value }) => value.zoned))
    return faultWithHelp(grammar, [item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, "times");
  const whole = `${item.minus ? "-" : ""}${near}${item.operator}${writeWord(item.value)}`;
  return faultAt(draft, [item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, whole);
}

/** `token status>=400` and `summary api last:5`, which other commands take */
function otherCommandFault(
  { draft, entry, grammar }: Reading,
  item: Keyed,
  key: string,
  kind: LogKind | undefined,
): Fault | undefined {
  const { name } = entry.spec;
  if (!kind && kindsWith(key).length > 0) {
    return faultAt(draft, [item], `${name} takes no filters, and ${quote(textOf(item))} is one.`);
  }
  const others = optionOwners(grammar, key);
  if (others.length === 0) return undefined;
  const having = `${oneOfThese(others, "and")} ${others.length > 1 ? "have" : "has"} it.`;
  return faultAt(draft, [item], `${name} has no option ${key}; ${having}`);
}

/** `token a:b`, which may be a name */
function colonFault({ draft, entry, sources }: Reading, item: Keyed): Fault | undefined {
  const argument = entry.arguments.find(({ value, member }) => !value.distinctive && !sources.has(member));
  if (!argument || draft.items.some(({ form }) => form === "bare")) return undefined;
  const whole = `${argument.word}:${writeText(textOf(item))}`;
  const rule = `a ${argument.value.name} with a colon in it is written ${shorten(whole, 50)}.`;
  return faultAt(draft, [item], `Unknown option ${quote(item.key)}; ${rule}`, whole);
}

function nowhereFault({ entry, grammar }: Reading, item: Keyed, kind: LogKind | undefined): Fault {
  const { name } = entry.spec;
  const words = [...entry.options, ...entry.arguments].map(({ word }) => word);
  const known = kind
    ? `field ${quote(item.key)}; ${kindWords(kind).one} logs have ${oneOfThese(
        fieldsOf(kind).map((field) => field.name),
        "and",
      )}`
    : `option ${quote(item.key)}; ${words.length > 0 ? `${name} has ${oneOfThese(words, "and")}` : `${name} has none`}`;
  // Without it, the command would be about other entries or another period.
  return faultWithHelp(grammar, [item], `Unknown ${known}.`, name);
}
