import type { Filtered } from "./describe.js";
import { fieldNamed } from "./filters/fields.js";
import { writeFilter } from "./filters/write-filter.js";
import type { Entry, Grammar, Parameter } from "./grammar.js";
import { isQuestion } from "./parsing/questions.js";
import type { AnyCommand } from "./spec.js";
import { writeText } from "./words.js";

/** The text that is parsed as this very command, now or at any later time. */
export function writeCommand(entry: Entry, command: AnyCommand & Filtered, grammar: Grammar): string {
  const { kind, filters = [] } = command;
  const isAlone = Object.keys(command).length === 1;
  const write = (parameter: Parameter, form: (parameter: Parameter, text: string) => string): string[] => {
    const { member, word, open, value: type } = parameter;
    const value = command[member] ?? (isAlone ? undefined : open);
    if (value !== undefined && value === open) return [`${word}:${open}`];
    return value === undefined ? [] : [form(parameter, type.write(value))];
  };
  const takesNames = entry.spec.effect !== "reads";
  const argumentText = (argument: Parameter, text: string): string =>
    BARE.test(text) && !(takesNames && isQuestion(text, grammar)) ? text : optionText(argument, text);
  return [
    entry.spec.name,
    ...entry.arguments.flatMap((argument) => write(argument, argumentText)),
    ...filters.flatMap((filter) => {
      const field = kind && fieldNamed(kind, filter.field);
      return field ? [writeFilter(field, filter)] : [];
    }),
    ...entry.options.flatMap((option) => write(option, optionText)),
  ].join(" ");
}

// What can be nothing but itself: no operator, no quote, no word that asks for help.
const BARE = /^(?!help$)[\p{L}\p{N}][\p{L}\p{N}_.@/-]*$/iu;

function optionText({ word }: Parameter, text: string): string {
  return `${word}:${writeText(text)}`;
}
