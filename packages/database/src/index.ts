// What is left out on purpose: the dialects. Who opens a database asks it by Kysely, and by nothing else.
export { DatabaseError, type DatabaseErrorCode } from "./errors.js";
export { GroupCommit } from "./group-commit.js";
export type { OpenOptions } from "./migrate.js";
export { type Database, openDatabase } from "./open.js";
export type { Statement } from "./sqlite/session.js";
export { type DatabaseAddress, parseDatabaseUrl } from "./url.js";
