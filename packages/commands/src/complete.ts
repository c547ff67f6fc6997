import { isOptionOperator, operatorNamed } from "./filters.js";
import { type Grammar, isFieldFirst, labelledOf, type Parameter, parametersNamed } from "./grammar.js";
import { failureField, fieldNamed, fieldsOf, kindSpec, kinds, outcomes } from "./kinds.js";
import { type Chosen, chooseCommand, commandItems, type Item, kindAmong, outcomeSaid } from "./parse.js";
import type { Choice, ReadContext } from "./values.js";
import { keyOf, nameOf, splitArguments, unquoted, writeText } from "./words.js";

/** A possible continuation of the word being typed. */
export interface Completion {
  /** The whole word. */
  readonly text: string;
  readonly about: string;
}

// Longer input is not worth completing.
const MOST_WORDS = 200;

/** The possible continuations of the last word, in the order of the table. */
export function completeWords(words: readonly string[], grammar: Grammar, context: ReadContext): readonly Completion[] {
  const typed = words.at(-1) ?? "";
  if (words.length > MOST_WORDS) return [];
  const cut = splitArguments(words.slice(0, -1));
  if (!cut.ok) return [];
  const items = commandItems(cut.words, grammar);
  const begun = typed.toLowerCase();
  const choices = choicesFor(items, typed, grammar, context).map(([text, about]) => ({ text, about }));
  return [...continuations(items, grammar), ...choices].filter(({ text }) => text.toLowerCase().startsWith(begun));
}

function choicesFor(items: readonly Item[], typed: string, grammar: Grammar, context: ReadContext): readonly Choice[] {
  if (items.length === 0) return firstWords(grammar);
  const chosen = chooseCommand(items, grammar);
  if (!chosen.ok) return [];
  const kind = chosen.entry.spec.filters ? kindAmong(chosen.items) : undefined;
  const within = { ...context, kind };
  return keyOf(unquoted(typed)) ? valuesFor(typed, chosen, within) : wordsFor(typed, chosen, within);
}

/** The words that can follow a command's name in a phrase for another command: `revoke` after `tokens`. */
function continuations(items: readonly Item[], { phrases, entries }: Grammar): Completion[] {
  const typed = items.map((item) => (item.form === "bare" ? nameOf(item.text) : "")).join(" ");
  if (!entries.some(({ spec }) => spec.name === typed)) return [];
  return entries.flatMap(({ spec: { name, about } }) =>
    phrases.some(({ name: of, words }) => of === name && words.join(" ") === `${typed} ${name}`)
      ? [{ text: name, about }]
      : [],
  );
}

function firstWords({ entries, implied }: Grammar): Choice[] {
  return [
    ...entries.map(({ spec }): Choice => [spec.name, spec.about]),
    ...(implied ? kinds.map((kind): Choice => [kind, `Lists ${kindSpec(kind).about}.`]) : []),
  ];
}

/** The words that may come first: unset arguments and options, and filters. */
function wordsFor(typed: string, { entry, items }: Chosen, context: ReadContext): Choice[] {
  const { kind } = context;
  const isNamed = ({ words }: Parameter): boolean =>
    items.some((item) => item.form === "keyed" && words.includes(nameOf(item.key)));
  const isThere = (argument: Parameter): boolean =>
    isNamed(argument) || items.some((item) => item.form === "bare" && argument.value.parse(item.text, context).ok);
  const hasOutcome = items.some((item) => item.form === "bare" && outcomeSaid(item));
  const canFail = kind !== undefined && failureField(kind) !== undefined && !hasOutcome;
  const labelled = labelledOf(entry);
  const labels = labelled && !isThere(labelled.argument) ? labelled.option.value.complete(context) : [];
  const hasLabel = items.some((item) => item.form === "keyed" && labels.some(([label]) => label === nameOf(item.key)));
  const minus = typed.startsWith("-") && !typed.startsWith("--") ? "-" : "";
  return [
    ...entry.arguments.filter((argument) => !isThere(argument)).flatMap(({ value }) => value.complete(context)),
    ...(hasLabel ? [] : labels).map(([label, about]): Choice => [`${label}:`, about]),
    ...(canFail ? Object.entries(outcomes) : []).map(([word, { about }]): Choice => [word, about]),
    ...(kind ? fieldsOf(kind) : []).map(({ name, operator, about }): Choice => [`${minus}${name}${operator}`, about]),
    ...entry.options.filter((option) => !isNamed(option)).map(({ word, about }): Choice => [`${word}:`, about]),
  ];
}

/** The values after a name and its operator; in a list, after the last comma. */
function valuesFor(typed: string, { entry }: Chosen, context: ReadContext): Choice[] {
  const { kind } = context;
  const { name = "", operator = "", length = 0 } = keyOf(unquoted(typed)) ?? {};
  const begun = typed.slice(0, length);
  const [parameter] = parametersNamed(entry, name);
  if (parameter && !isFieldFirst(parameter, name, kind)) {
    if (!isOptionOperator(operator)) return [];
    return parameter.value.complete(context).map(([text, about]) => [`${begun}${writeText(text)}`, about]);
  }
  const field = kind && fieldNamed(kind, name);
  const compares = operatorNamed(operator)?.compares;
  if (!field || !compares) return [];
  const head = typed.slice(0, Math.max(length, typed.lastIndexOf(",") + 1));
  return field.examples
    .filter(([text]) => compares === "is" || !/[,*x]|\.\./.test(text))
    .map(([text, about]) => [`${head}${text}`, about]);
}
