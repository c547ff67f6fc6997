// The types are generated: every one of them is part of the contract.
export type * from "./generated/api.js";
export {
  type ColumnPlace,
  type FieldContent,
  type LogEntryOf,
  type LogField,
  type LogKindSpec,
  logKinds,
  type ReasonSpec,
  reasons,
  typeOf,
} from "./log-kinds.js";
export { type LogKind, logPaths } from "./log-paths.js";
export { readTimestamp } from "./timestamps.js";
