// What is left out on purpose: the dialects. Who opens a database asks it by Kysely, and by nothing else.
export { DatabaseError, type DatabaseErrorCode } from "./errors.js";
export { type Database, type OpenOptions, openDatabase } from "./open.js";
export { type DatabaseAddress, parseDatabaseUrl } from "./url.js";
