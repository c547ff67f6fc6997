import type { TestProject } from "vitest/node";
import { shareServer } from "./shared-server.js";

// A globalSetup of vitest for projects in which all tests run on PostgreSQL.
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide("database", "postgres");
  return shareServer(project);
}
