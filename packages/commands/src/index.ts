// What is left out on purpose: how words are cut, read and repaired, and the readers of values, which are free to change.
export { type CoreCommand, coreCommands, selectionOptions, tokenDefaults } from "./commands.js";
export type { Completion } from "./complete.js";
export { describe, write } from "./core.js";
export { FAILED, failedFilter } from "./failed-status.js";
export { type FieldSpec, fieldsOf } from "./filters/fields.js";
export type { Filter, Pattern, Range, Selection, Test } from "./filters/filter.js";
export { matcher } from "./filters/matcher.js";
export type { Help, HelpOptions, HelpRow, HelpSection } from "./help.js";
export { kinds, type LogKind } from "./kinds.js";
export { type DescribeOptions, defineLanguage, type Language, type When } from "./language.js";
export { slips } from "./nearest.js";
export type { CommandProblem, Parsed } from "./parsing/parse.js";
export { forShell } from "./shell.js";
export {
  type AnyCommand,
  type ArgumentSpec,
  type CommandOf,
  type CommandSpec,
  command,
  type Effect,
  type OptionSpec,
} from "./spec.js";
export { readTimestamp } from "./times/timestamp.js";
export { type TokenRequest, type TokenRequestOptions, type TokenRequestResult, tokenRequest } from "./token-request.js";
export { EVERY_CHANNEL } from "./values/channel.js";
export { duration } from "./values/duration.js";
export { kind } from "./values/kind.js";
export { moment } from "./values/moment.js";
export { wholeNumber } from "./values/number.js";
export { oneOf } from "./values/one-of.js";
export { text } from "./values/text.js";
export type { ReadContext, ValueType } from "./values/value-type.js";
