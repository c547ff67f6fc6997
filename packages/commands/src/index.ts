// Splitting, reading and repairing input are internal on purpose: they may change at any time.
export type { LogKind } from "@media-ops/contract";
export { coreCommands, selectionOptions, tokenDefaults, whyDefaults } from "./commands.js";
export { type Filter, failedFilter, type LogWhere } from "./filters/field-types.js";
export { type Search, type Selection, searchOf, whereOf } from "./filters/where.js";
export { type AbsentCommand, type CommandOf, command } from "./grammar.js";
export type { HelpRow } from "./help.js";
export { kind, kinds } from "./kinds.js";
export { defineLanguage, type Language } from "./language.js";
export { capital, nearestOf, oneOfThese, shorten } from "./messages.js";
export {
  type CheckCommand,
  checkCommand,
  checkInTerminal,
  type OperationCommand,
  operationCommands,
  type Person,
} from "./operations.js";
export type { CommandProblem, Parsed } from "./parse.js";
export {
  auditRequest,
  checkRequest,
  type DisconnectRequest,
  deliveriesRequest,
  disconnectRequest,
  isRevokedBy,
  joinLink,
  joinLinkFault,
  MOST_LISTED,
  nothingToResend,
  nothingToRevoke,
  type OperationOptions,
  type RequestResult,
  type RevokeRequest,
  resendableRequest,
  resendRequest,
  revocableTokensRequest,
  revokeRequest,
  type TokenRequest,
  tokenRequest,
  tokensRequest,
} from "./requests.js";
export { askedOf, comparing, type GroupField, orderOf, type SortOrder } from "./values/field-choices.js";
export { describePeriod, duration, roundPeriod } from "./values/time-types.js";
export { EVERY_CHANNEL, oneOf, text, type ValueType } from "./values/value-type.js";
export { type DailySpan, dailySpan, slackChannel, type Threshold, threshold, timeOfDay } from "./values/watch-types.js";
export { forShell } from "./words.js";
