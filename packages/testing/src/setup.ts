// A globalSetup of vitest for projects with tests that ask for PostgreSQL by themselves.
export { shareServer as default } from "./shared-server.js";
