import type { Parameter } from "../grammar.js";
import { isOptionOperator } from "../operators.js";
import { quote } from "../quote.js";
import { type Marked, writeText } from "../words.js";
import { faultAt } from "./fault.js";
import { type Item, type Keyed, textOf } from "./items.js";
import { type Finding, type Reading, readLongest, settle } from "./reading.js";

/** Reads all `word:value` that are options or arguments of the command. */
export function readOptions(reading: Reading): void {
  const { entry, draft } = reading;
  const parameters = [...entry.options, ...entry.arguments];
  for (const item of draft.items) {
    if (item.form === "bare") continue;
    const parameter = parameters.find(({ words }) => words.includes(item.key.toLowerCase()));
    if (parameter) settle(reading, readOption(reading, parameter, item));
    // Only the first fault is told.
    if (reading.faults.length > 0) return;
  }
}

function readOption(reading: Reading, parameter: Parameter, item: Keyed): Finding {
  const { draft, context, values } = reading;
  const { word, value: type } = parameter;
  const withValue = (text: string | undefined): string | undefined => text && `${word}:${writeText(text)}`;
  const refuse = (reason: string, replacement?: string, said: readonly Item[] = [item]): Finding => ({
    said,
    fault: faultAt(draft, said, reason, replacement),
  });
  const parse = ({ text }: Marked) => type.parse(text, { ...context, subject: word });

  const { text } = item.value;
  if (text.trim() === "") {
    const nothing = parse(item.value);
    const reason = `${word}: needs a value after it, such as ${word}:${type.example}.`;
    return refuse(reason, nothing.ok ? undefined : withValue(nothing.nearest));
  }
  if (item.minus) return refuse(`${word} is an option, and no minus stands before it.`, withValue(text));
  if (!isOptionOperator(item.operator)) {
    const reason = `${word} is an option: a colon stands before its value, not ${quote(item.operator)}.`;
    return refuse(reason, withValue(text));
  }
  const { read, said } = type.spaced
    ? readLongest(reading, item, item.value, parse)
    : { read: parse(item.value), said: [item] };
  if (values.has(parameter.member)) {
    return refuse(`${word} stands twice: ${quote(said.map(textOf).join(" "))} is one too many.`, undefined, said);
  }
  if (!read.ok) return refuse(read.reason, withValue(read.nearest), said);
  return { said, parameter, value: read.value };
}
