import { fieldsOf, kindsWith } from "../filters/fields.js";
import { optionOwners, parametersNamed } from "../grammar.js";
import { kindWords, type LogKind } from "../kinds.js";
import { nearestOf } from "../nearest.js";
import { capital, oneOfThese, quote, shorten } from "../quote.js";
import { nameOf } from "../signs.js";
import { writeText, writeWord } from "../words.js";
import { type Fault, faultAt, faultWithHelp } from "./fault.js";
import { type Keyed, textOf } from "./items.js";
import type { Reading } from "./reading.js";

/** What is wrong with a word whose name is no option of the command, and no field of the kind. */
export function unknownKey(reading: Reading, item: Keyed, kind: LogKind | undefined): Fault {
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

/** `token until:2h`, for which there is another word. */
function insteadFault({ entry, draft, context, grammar }: Reading, item: Keyed, key: string): Fault | undefined {
  const { name, instead = {} } = entry.spec;
  const other = Object.hasOwn(instead, key) ? instead[key] : undefined;
  if (!other) return undefined;
  const option = entry.options.find(({ word }) => word === other.use);
  const read = option?.value.parse(item.value.text, { ...context, subject: other.use });
  const reason = `${name} has no ${key}; ${other.rule}.`;
  const value = read?.ok ? item.value.text : undefined;
  // Another length, or another time, is another wish.
  if (value === undefined) return faultWithHelp(grammar, [item], reason, name);
  return faultAt(draft, [item], reason, `${other.use}:${writeText(value)}`);
}

/** `webhooks channel:lobby`, which other logs have. */
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
    return faultWithHelp(grammar, [item], `There is no ${quote(item.key)}: did you mean ${near}?`, "times");
  const whole = `${item.minus ? "-" : ""}${near}${item.operator}${writeWord(item.value)}`;
  return faultAt(draft, [item], `There is no ${quote(item.key)}: did you mean ${near}?`, whole);
}

/** `token status>=400` and `summary api last:5`, which other commands take. */
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

/** `token a:b`, where a name may be meant. */
function colonFault({ draft, entry, places }: Reading, item: Keyed): Fault | undefined {
  const argument = entry.arguments.find(({ value, member }) => !value.telling && !places.has(member));
  if (!argument || draft.items.some(({ form }) => form === "bare")) return undefined;
  const whole = `${argument.word}:${writeText(textOf(item))}`;
  const rule = `a ${argument.value.name} with a colon in it is written ${shorten(whole, 50)}.`;
  return faultAt(draft, [item], `There is no option ${quote(item.key)}; ${rule}`, whole);
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
  // Without it, the command would be about other entries, or another period.
  return faultWithHelp(grammar, [item], `There is no ${known}.`, name);
}
