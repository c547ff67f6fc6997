import type { Kysely } from "kysely";
import { findProject, type Project } from "../projects/projects.js";
import type { Tables } from "../storage/tables.js";
import { CommandError } from "./command.js";

/** The project of this name; an error that helps where there is none. */
export async function needProject(query: Kysely<Tables>, projectId: string): Promise<Project> {
  const project = await findProject(query, projectId);
  if (project) return project;
  throw new CommandError(`There is no project ${projectId}. media-ops projects list shows those there are.`);
}
