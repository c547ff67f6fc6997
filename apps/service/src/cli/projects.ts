import type { Kysely } from "kysely";
import { createApiKey } from "../keys/api-keys.js";
import {
  createProject,
  findProject,
  listProjects,
  type Project,
  projectIdFault,
  updateProject,
} from "../projects/projects.js";
import type { Tables } from "../storage/tables.js";
import { type Command, CommandError, newOption, toTable, UsageError } from "./command.js";

/** The project with this id; throws a {@link CommandError} if there is none. */
export async function needProject(query: Kysely<Tables>, projectId: string): Promise<Project> {
  const project = await findProject(query, projectId);
  if (project) return project;
  throw new CommandError(`There is no project ${projectId}. To list the projects: media-ops projects list`);
}

const create: Command = {
  name: "projects create",
  parameters: ["<name>"],
  options: [newOption],
  summary: "Creates a project and its first API key, which is shown only once.",
  help: "The name is the project's id: the part of a channel's id after the last @.",
  async run({ create, now }, [name = ""]) {
    const fault = projectIdFault(name);
    if (fault) throw new CommandError(fault);
    const { query, vault } = await create();
    if (!(await createProject(query, name, now()))) {
      throw new CommandError(
        `There is a project ${name} already. To create another key: media-ops keys create ${name}`,
      );
    }
    const { text } = await createApiKey(query, vault, name, now());
    return {
      text: `Created the project ${name}. Its API key, shown only once:\n\n  ${text}\n`,
      json: { project_id: name, api_key: text },
    };
  },
};

const list: Command = {
  name: "projects list",
  parameters: [],
  summary: "Lists the projects.",
  async run({ open }) {
    const { query } = await open();
    const projects = await listProjects(query);
    const rows = projects.map(({ projectId, createdAt, allowAnonymous }) => [
      projectId,
      createdAt,
      allowAnonymous ? "admitted" : "refused",
    ]);
    return {
      text: toTable(
        ["project", "created", "clients without a token"],
        rows,
        "There is no project yet. To create one: media-ops projects create demo",
      ),
      json: projects.map(({ projectId, createdAt, allowAnonymous }) => ({
        project_id: projectId,
        created_at: createdAt,
        allow_anonymous: allowAnonymous,
      })),
    };
  },
};

const update: Command = {
  name: "projects update",
  parameters: ["<name>"],
  options: [
    { name: "allow-anonymous", summary: "admit clients without a token" },
    { name: "require-token", summary: "admit only clients with a token; the default" },
  ],
  summary: "Changes whether a project's channels admit clients without a token.",
  help: "One of the two options is needed. If a client sends a token, it is checked in any case.",
  async run({ open }, [name = ""], { switches }) {
    const allowAnonymous = switches.has("allow-anonymous");
    if (allowAnonymous === switches.has("require-token")) {
      throw new UsageError(
        `Give either --allow-anonymous or --require-token, ${allowAnonymous ? "not both" : "to say what to change"}.`,
      );
    }
    const { query } = await open();
    await needProject(query, name);
    await updateProject(query, name, { allowAnonymous });
    return {
      text: `The channels of ${name} now ${allowAnonymous ? "admit" : "refuse"} clients without a token.`,
      json: { project_id: name, allow_anonymous: allowAnonymous },
    };
  },
};

/** The commands of `projects`. */
export const projectCommands: readonly Command[] = [create, list, update];
