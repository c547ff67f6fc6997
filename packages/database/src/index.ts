// What is left out on purpose: the dialects. Who opens a database asks it by Kysely, and by nothing else.
export { ClockGuard } from "./clock/clock-guard.js";
export { type ClockRecord, confirmClock, DAY_MS as CLOCK_TOLERANCE_MS, readClock } from "./clock/clock-record.js";
export { describePause, type PauseWords, shownTime } from "./clock/describe-pause.js";
export { EARLIEST } from "./clock/judge-clock.js";
export { type CopiedTable, copiedTables } from "./copy/copied-table.js";
export { CopyError } from "./copy/copy-error.js";
export { describeCopy, isSame } from "./copy/describe-copy.js";
export { migrateStore } from "./copy/migrate-store.js";
export { showProgress } from "./copy/show-progress.js";
export {
  codeOf,
  DatabaseError,
  type DatabaseErrorCode,
  hasCode,
  isMovedOrDamaged,
  isUnavailable,
  messageOf,
} from "./errors.js";
export { GroupCommit } from "./group-commit.js";
export type { Committer } from "./keyed-group-commit.js";
export { type Glimpse, lookAtDatabase } from "./look.js";
export type { Migrations, OpenOptions } from "./migrate.js";
export { type Database, openDatabase } from "./open.js";
export { withoutNul } from "./postgres/parameters.js";
export { describeRestored, type Restored, restoreDatabase } from "./restore/restore-database.js";
export { findDamage, type Intactness } from "./sqlite/check-file.js";
export type { Statement } from "./statement.js";
export { type DatabasePlace, databaseUrlFault, placeOf } from "./url.js";
export { type DatabaseWatcher, watchDatabase } from "./watcher.js";
