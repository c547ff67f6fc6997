// What is left out on purpose: how words are cut, read and repaired, and the readers of values, which are free to change.
export { type CoreCommand, coreCommands, selectionOptions, tokenDefaults } from "./commands.js";
export type { Completion } from "./complete.js";
export { forShell } from "./cut.js";
export { type FieldSpec, fieldsOf } from "./filters/fields.js";
export type { Filter, Pattern, Range, Selection, Test } from "./filters/filter.js";
export { matcher } from "./filters/matcher.js";
export { FAILED, failedFilter } from "./filters/ordered-types.js";
export type { Help, HelpOptions, HelpRow, HelpSection } from "./help.js";
export { kind, kinds, type LogKind } from "./kinds.js";
export { type DescribeOptions, defineLanguage, type Language, type When } from "./language.js";
export { slips } from "./nearest.js";
export type { CommandProblem, Parsed } from "./parsing/parse.js";
export {
  type AnyCommand,
  type ArgumentSpec,
  type CommandOf,
  type CommandSpec,
  command,
  type Effect,
  type OptionSpec,
} from "./spec.js";
export { readTimestamp } from "./times/read-moment.js";
export { type TokenRequest, type TokenRequestOptions, type TokenRequestResult, tokenRequest } from "./token-request.js";
export { duration } from "./values/duration.js";
export { moment } from "./values/moment.js";
export { EVERY_CHANNEL, oneOf, type ReadContext, text, type ValueType, wholeNumber } from "./values/value-type.js";
