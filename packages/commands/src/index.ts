// Splitting, reading and repairing input are internal on purpose: they may change at any time.
export type { LogKind } from "@media-ops/contract";
export { coreCommands, selectionOptions, tokenDefaults, whyDefaults } from "./commands.js";
export { askedOf, type Search, type Selection, searchOf, whereOf } from "./filters.js";
export { type AbsentCommand, type CommandOf, command } from "./grammar.js";
export type { HelpRow } from "./help.js";
export {
  comparing,
  type Filter,
  failedFilter,
  type GroupField,
  kind,
  kinds,
  type LogWhere,
  orderOf,
  type SortOrder,
} from "./kinds.js";
export { defineLanguage, type Language } from "./language.js";
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
export { describePeriod, duration, EVERY_CHANNEL, oneOf, roundPeriod, text, type ValueType } from "./values.js";
export { type DailySpan, dailySpan, slackChannel, type Threshold, threshold, timeOfDay } from "./watch-values.js";
export { capital, forShell, nearestOf, oneOfThese, shorten } from "./words.js";
