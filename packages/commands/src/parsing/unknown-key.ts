import type { LogKind } from "../api.js";
import { optionOwners, parametersNamed } from "../grammar.js";
import { fieldsOf, kindSpec, kindsWith } from "../kinds.js";
import { capital, nearestOf, oneOfThese, quote, shorten } from "../messages.js";
import { isQuoted, nameOf, writeText, writeWord } from "../words.js";
import { type Bare, type Fault, faultAt, faultWithHelp, type Item, type Keyed, rawOf, textOf } from "./items.js";
import { labelledOf } from "./read-labels.js";
import { bareBehind, type Reading } from "./reading.js";

/** A name that is neither an option of the command nor a field of the log. */
export function unknownKey(reading: Reading, item: Keyed, kind: LogKind | undefined): Fault {
  const key = nameOf(item.key);
  return (
    insteadFault(reading, item, key) ??
    comparedFault(reading, item, key) ??
    otherKindFault(reading, item, key, kind) ??
    otherCommandFault(reading, item, key, kind) ??
    nearFault(reading, item, key, kind) ??
    colonFault(reading, item) ??
    nowhereFault(reading, item, kind)
  );
}

/** `token until:2h`, for which the command has another name, or `logs by:url`, which another command has */
function insteadFault(reading: Reading, item: Keyed, key: string): Fault | undefined {
  return insteadOf(reading, [item], key, { text: item.value.text, raw: rawOf(item) });
}

/** The same without a colon: `token lobby until 2h`. */
export function insteadWordFault(reading: Reading, word: Bare): Fault | undefined {
  const value = isQuoted(word) ? undefined : bareBehind(reading, word);
  const key = nameOf(word.text);
  return value && insteadOf(reading, [word, value], key, { text: value.text, raw: `${key}:${rawOf(value)}` });
}

function insteadOf(
  { entry, draft, context, grammar }: Reading,
  used: readonly Item[],
  key: string,
  { text, raw }: { text: string; raw: string },
): Fault | undefined {
  const { name, instead = {} } = entry.spec;
  const other = Object.hasOwn(instead, key) ? instead[key] : undefined;
  if (!other) return undefined;
  const reason = `${name} has no ${key}; ${other.rule}.`;
  if ("command" in other) return faultAt({ ...draft, head: other.command }, used, reason, raw);
  const option = entry.options.find(({ word }) => word === other.use);
  // Another duration or time would be a different request.
  if (!option?.value.parse(text, { ...context, subject: other.use }).ok)
    return faultWithHelp(grammar, used, reason, name);
  return faultAt(draft, used, reason, `${other.use}:${writeText(text)}`);
}

/** `p95>2s`, which is no filter but the value of an option */
function comparedFault({ entry, draft, context }: Reading, item: Keyed, key: string): Fault | undefined {
  const option = entry.options.find(({ value }) => value.compares?.includes(key));
  if (!option || item.minus) return undefined;
  const text = textOf(item).replaceAll(" ", "");
  const read = option.value.parse(text, { ...context, subject: option.word });
  // In other logs, it is a field.
  if (!read.ok && kindsWith(key).length > 0) return undefined;
  const value = read.ok ? text : read.nearest;
  const meant = value && `${option.word}:${writeText(value)}`;
  const reason = read.ok ? `${quote(text)} is not a filter. Did you mean ${shorten(`${meant}`, 50)}?` : read.reason;
  return faultAt(draft, [item], reason, meant);
}

/** `webhooks channel:lobby`, a field of other logs */
function otherKindFault({ draft }: Reading, item: Item, key: string, kind: LogKind | undefined): Fault | undefined {
  const having = kindsWith(key).map((other) => kindSpec(other).one);
  if (!kind || having.length === 0) return undefined;
  const others = oneOfThese(having, "and");
  return faultAt(draft, [item], `${capital(kindSpec(kind).one)} logs have no field ${key}; ${others} logs have it.`);
}

/** `statsu>=400` */
function nearFault(
  { draft, entry, grammar }: Reading,
  item: Keyed,
  key: string,
  kind: LogKind | undefined,
): Fault | undefined {
  const labels = labelledOf(entry)?.option.value.choices ?? [];
  const words = [...labels, ...[...entry.options, ...entry.arguments].flatMap((parameter) => parameter.words)];
  const fields = kind ? fieldsOf(kind).flatMap(({ name, aliases }) => [name, ...aliases]) : [];
  const near = nearestOf(key, [...words, ...fields]);
  if (near === undefined) return undefined;
  // "until9:30" lacks more than its colon.
  if (/\d/.test(key) && parametersNamed(entry, near).some(({ value }) => value.zoned))
    return faultWithHelp(grammar, [item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, "times");
  const whole = `${item.minus ? "-" : ""}${near}${item.operator}${writeWord(item.value)}`;
  return faultAt(draft, [item], `Unknown name ${quote(item.key)}. Did you mean ${near}?`, whole);
}

/** `token status>=400` and `summary api last:5`, which belong to other commands */
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
    ? `field ${quote(item.key)}; ${kindSpec(kind).one} logs have ${oneOfThese(
        fieldsOf(kind).map((field) => field.name),
        "and",
      )}`
    : `option ${quote(item.key)}; ${words.length > 0 ? `${name} has ${oneOfThese(words, "and")}` : `${name} has none`}`;
  // Removing it would select other entries or another period.
  return faultWithHelp(grammar, [item], `Unknown ${known}.`, name);
}
