// A project of vitest.config.ts gets PostgreSQL through its globalSetup: ./setup, or ./on-postgres to run all its tests
// on it.
export { databaseUrl, hasPostgres, plainPostgres, postgresUrl, runIn } from "./databases.js";
