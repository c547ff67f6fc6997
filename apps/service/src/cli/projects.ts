import { createApiKey } from "../keys/api-keys.js";
import { createProject, listProjects, projectIdFault, updateProject } from "../projects/projects.js";
import { type Command, CommandError, newOption, toTable, UsageError } from "./command.js";
import { needProject } from "./need-project.js";

const create: Command = {
  name: "projects create",
  parameters: ["<name>"],
  options: [newOption],
  summary: "Makes a project, and its first API key, which is shown this once.",
  help: "The name is the project's id: what stands after the last @ of a channel's id.",
  async run({ withNewStorage, now }, [name = ""]) {
    const fault = projectIdFault(name);
    if (fault) throw new CommandError(fault);
    return withNewStorage(async ({ query }, vault) => {
      if (!(await createProject(query, name, now()))) {
        throw new CommandError(`There is a project ${name} already. For another key: media-ops keys create ${name}`);
      }
      const { text } = await createApiKey(query, vault, name, now());
      return {
        text: `The project ${name} is made. Its API key, shown this once:\n\n  ${text}\n`,
        json: { project_id: name, api_key: text },
      };
    });
  },
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
                ["project", "made", "clients without a token"],
                projects.map(({ projectId, createdAt, allowAnonymous }) => [
                  projectId,
                  createdAt,
                  allowAnonymous ? "let in" : "refused",
                ]),
              ),
        json: projects.map(({ projectId, createdAt, allowAnonymous }) => ({
          project_id: projectId,
          created_at: createdAt,
          allow_anonymous: allowAnonymous,
        })),
      };
    }),
};

const update: Command = {
  name: "projects update",
  parameters: ["<name>"],
  options: [
    { name: "allow-anonymous", summary: "let clients in without a token" },
    { name: "require-token", summary: "let clients in with a token only, as by itself" },
  ],
  summary: "Changes whether clients are let into a project's channels without a token.",
  help: "One of the two options is needed. A token that a client does bring is checked in any case.",
  async run({ withStorage }, [name = ""], { switches }) {
    const allowAnonymous = switches.has("allow-anonymous");
    if (allowAnonymous === switches.has("require-token")) {
      const what = allowAnonymous ? "not both" : "to say what to change";
      throw new UsageError(`Give one of --allow-anonymous and --require-token, ${what}.`);
    }
    return withStorage(async ({ query }) => {
      await needProject(query, name);
      await updateProject(query, name, { allowAnonymous });
      return {
        text: `Clients without a token are ${allowAnonymous ? "let into" : "refused in"} the channels of ${name} from now on.`,
        json: { project_id: name, allow_anonymous: allowAnonymous },
      };
    });
  },
};

export const projectCommands: readonly Command[] = [create, list, update];
