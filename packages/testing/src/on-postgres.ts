import type { TestProject } from "vitest/node";
import { shareServer } from "./server.js";

// A globalSetup of Vitest for projects with all tests on PostgreSQL.
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide("database", "postgres");
  return shareServer(project);
}
