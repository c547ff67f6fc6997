// A globalSetup of Vitest for projects with some tests on PostgreSQL.
export { shareServer as default } from "./server.js";
