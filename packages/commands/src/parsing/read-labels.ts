import { isOptionOperator } from "../filters/operators.js";
import type { Entry, Parameter } from "../grammar.js";
import { parametersNamed } from "../grammar.js";
import { quote } from "../messages.js";
import { isQuoted, type Marked, nameOf, writeText } from "../words.js";
import { type Fault, faultAt, faultWithHelp, type Item, textOf } from "./items.js";
import { bareBehind, type Finding, type Reading } from "./reading.js";

/** An argument, and the option whose values may be typed before it. */
interface Labelled {
  readonly argument: Parameter;
  readonly option: Parameter;
}

/** The argument of a command that may have a label, if any. */
export function labelledOf({ arguments: all, options }: Entry): Labelled | undefined {
  const argument = all.find(({ labels }) => labels !== undefined);
  const option = options.find(({ member }) => member === argument?.labels);
  return argument && option && { argument, option };
}

/** `channel:lobby` for `lobby is:channel`; also `channel lobby`. Nothing if the item is no label. */
export function readLabelled(reading: Reading, item: Item): Finding[] {
  const { entry, context } = reading;
  const labelled = labelledOf(entry);
  const typed = labelled && labelAt(reading, item);
  if (!typed) return [];
  const { argument, option } = labelled;
  const label = option.value.parse(nameOf(typed.label), { ...context, subject: option.word });
  if (!label.ok) return [];
  const { used } = typed;
  const fault = labelFault(reading, argument, option, item, typed);
  if (fault) return [{ used, fault }];
  const value = argument.value.parse(typed.value.text, { ...context, subject: typed.label });
  if (!value.ok) return [];
  return [
    { used, parameter: option, value: label.value },
    { used, parameter: argument, value: value.value },
  ];
}

interface TypedLabel {
  readonly label: string;
  readonly value: Marked;
  readonly used: readonly Item[];
}

function labelAt(reading: Reading, item: Item): TypedLabel | undefined {
  if (item.form === "keyed") return { label: item.key, value: item.value, used: [item] };
  const value = isQuoted(item) ? undefined : bareBehind(reading, item);
  // "trace client since 2h" lacks the id.
  const isValue = value && parametersNamed(reading.entry, value.text).length === 0;
  return isValue ? { label: item.text, value, used: [item, value] } : undefined;
}

function labelFault(
  { draft, entry, grammar, values }: Reading,
  argument: Parameter,
  option: Parameter,
  item: Item,
  { label, value, used }: TypedLabel,
): Fault | undefined {
  const { text } = value;
  const name = nameOf(label);
  if (text.trim() === "") return faultWithHelp(grammar, used, `${name}: needs a value after it.`, entry.spec.name);
  if (item.form === "keyed" && (item.minus || !isOptionOperator(item.operator))) {
    const reason = `${name} takes a colon before its value, and no minus.`;
    return faultAt(draft, used, reason, `${name}:${writeText(text)}`);
  }
  const isTwice = values.has(argument.member) || values.has(option.member);
  const typed = quote(used.map(textOf).join(" "));
  return isTwice ? faultAt(draft, used, `${argument.word} is given twice: ${typed} is one too many.`) : undefined;
}
