import type { Filtered } from "./describe.js";
import { fieldNamed } from "./filters/fields.js";
import { writeFilter } from "./filters/write-filter.js";
import type { Entry, Parameter } from "./grammar.js";
import type { AnyCommand } from "./spec.js";
import { writeText } from "./words.js";

/** The text that is parsed as this very command, now or at any later time. */
export function writeCommand(entry: Entry, command: AnyCommand & Filtered): string {
  const { kind, filters = [] } = command;
  const write = (parameter: Parameter, form: (parameter: Parameter, text: string) => string): string[] => {
    const value = command[parameter.member];
    return value === undefined ? [] : [form(parameter, parameter.value.write(value))];
  };
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

function argumentText(argument: Parameter, text: string): string {
  return BARE.test(text) ? text : optionText(argument, text);
}

function optionText({ word }: Parameter, text: string): string {
  return `${word}:${writeText(text)}`;
}
