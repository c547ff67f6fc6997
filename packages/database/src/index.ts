// The dialects are not exported on purpose: callers use only Kysely.
export {
  CLOCK_TOLERANCE_MS,
  ClockGuard,
  confirmClock,
  describePause,
  EARLIEST,
  readClock,
  shownTime,
} from "./clock-guard.js";
export { describeCopy, describeDistributed, describeRestored, isSame, showProgress } from "./copy/report.js";
export { type CopiedTable, columnsOf, copiedTables, type TableDescription, type TablesOf } from "./copy/tables.js";
export {
  type Database,
  type DatabaseWatcher,
  type DistributedTables,
  type Exchange,
  type Glimpse,
  type Migrations,
  type OpenOptions,
  type Statement,
  type Step,
  watchDatabase,
} from "./database.js";
export {
  DatabaseError,
  hasCode,
  isMovedOrDamaged,
  isUnavailable,
  messageOf,
} from "./errors.js";
export { type Committer, GroupCommit } from "./group-commit.js";
export { distributeDatabase, lookAtDatabase, migrateStore, openDatabase } from "./open.js";
export { type Distribution, placeOfValue, readDistribution } from "./postgres/citus.js";
export { withoutNul } from "./postgres/parameters.js";
export { findDamage } from "./sqlite/check-file.js";
export { restoreDatabase } from "./sqlite/restore.js";
export { databaseUrlFault, placeOf } from "./url.js";
