import { describeFilter } from "./filters/describe-filter.js";
import { fieldNamed } from "./filters/fields.js";
import type { Filter } from "./filters/filter.js";
import type { Entry, Parameter } from "./grammar.js";
import type { LogKind } from "./kinds.js";
import type { AnyCommand } from "./spec.js";
import type { DescribeContext } from "./values/value-type.js";

/** What a command may bring, whichever it is. */
export interface Filtered {
  readonly kind?: LogKind;
  readonly filters?: readonly Filter[];
}

/** A command for people, in one line. */
export function describeCommand(
  entry: Entry,
  command: AnyCommand & Filtered,
  project: string | undefined,
  given: DescribeContext,
): string {
  // What ends at another time than now is not "the last 2 hours".
  const context = command.until === undefined ? given : { ...given, now: undefined };
  const parameters = [...entry.arguments, ...entry.options];
  const told = (parameter: Parameter | undefined): string | undefined => {
    const value = parameter && command[parameter.member];
    if (value !== undefined) return parameter?.value.describe(value, context);
    return parameter?.member === "in" ? project : undefined;
  };

  const inHeading = new Set<string>();
  const usual = [entry.spec.name, ...entry.arguments.map(({ member }) => `{${member}}`)];
  const heading = (entry.spec.heading ?? usual).map((phrase) => {
    const [braced, member] = /\{(\w+)\}/.exec(phrase) ?? [];
    if (braced === undefined || member === undefined) return phrase;
    inHeading.add(member);
    const value = told(parameters.find((parameter) => parameter.member === member));
    return value && phrase.replace(braced, () => value);
  });

  const { kind, filters = [] } = command;
  const filterTexts = filters.map((filter) => {
    const field = kind && fieldNamed(kind, filter.field);
    return field && describeFilter(field, filter, context);
  });
  const rest = parameters
    .filter(({ member }) => !inHeading.has(member))
    .map((parameter) => {
      const value = told(parameter);
      return value && parameter.phrase.replace("{}", () => value);
    });
  return [heading.filter(Boolean).join(" "), ...filterTexts, ...rest].filter(Boolean).join(", ");
}
