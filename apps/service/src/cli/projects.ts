import { createApiKey } from "../keys/api-keys.js";
import { createProject, listProjects, projectIdFault } from "../projects/projects.js";
import { type Command, CommandError, toTable } from "./command.js";

const create: Command = {
  name: "projects create",
  parameters: ["<name>"],
  summary: "Makes a project, and its first API key, which is shown this once.",
  help: "The name is the project's id: what stands after the last @ of a channel's id.",
  run: ({ withStorage, now }, [name = ""]) =>
    withStorage(async ({ query }, vault) => {
      const fault = projectIdFault(name);
      if (fault) throw new CommandError(fault);
      if (!(await createProject(query, name, now()))) {
        throw new CommandError(`There is a project ${name} already. For another key: media-ops keys create ${name}`);
      }
      const { text } = await createApiKey(query, vault, name, now());
      return {
        text: `The project ${name} is made. Its API key, shown this once:\n\n  ${text}\n`,
        json: { project_id: name, api_key: text },
      };
    }),
};

const list: Command = {
  name: "projects list",
  parameters: [],
  summary: "Lists the projects.",
  run: ({ withStorage }) =>
    withStorage(async ({ query }) => {
      const projects = await listProjects(query);
      return {
        text:
          projects.length === 0
            ? "There is no project yet. Make one: media-ops projects create demo"
            : toTable(
                ["project", "made"],
                projects.map(({ projectId, createdAt }) => [projectId, createdAt]),
              ),
        json: projects.map(({ projectId, createdAt }) => ({ project_id: projectId, created_at: createdAt })),
      };
    }),
};

export const projectCommands: readonly Command[] = [create, list];
