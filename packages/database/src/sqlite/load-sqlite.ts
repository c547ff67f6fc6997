import { createRequire } from "node:module";

// better-sqlite3 13 needs Node-API 10, which Node 20 does not have. Version 12 is unsafe with Node-API 10: garbage
// collection of a statement may crash the process.
const NODE_API_OF_13 = 10;

const name = Number(process.versions.napi) >= NODE_API_OF_13 ? "better-sqlite3" : "better-sqlite3-12";

/** The version of better-sqlite3 that works with this version of Node. */
export const Sqlite: typeof import("better-sqlite3") = createRequire(import.meta.url)(name);
