// What is left out on purpose: how a PostgreSQL is started. It is there for a project of vitest.config.ts that names as
// its globalSetup ./setup, or ./on-postgres if all its tests are to run on it.
export { databaseUrl, postgresUrl } from "./database-url.js";
