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
import { createSigningKey, retireSigningKey } from "../tokens/signing-keys.js";
import { type Command, CommandError, list, newOption, readOneOf, UsageError } from "./command.js";

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
  isAct: true,
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

const listAll: Command = {
  name: "projects list",
  parameters: [],
  summary: "Lists the projects.",
  async run({ open }) {
    const { query } = await open();
    return list(
      await listProjects(query),
      [
        { name: "project_id", heading: "project", of: ({ projectId }) => projectId },
        { name: "created_at", heading: "created", of: ({ createdAt }) => createdAt },
        {
          name: "allow_anonymous",
          heading: "clients without a token",
          of: ({ allowAnonymous }) => allowAnonymous,
          shown: ({ allowAnonymous }) => (allowAnonymous ? "admitted" : "refused"),
        },
      ],
      "There is no project yet. To create one: media-ops projects create demo",
    );
  },
};

const algorithms = ["hs256", "eddsa"] as const;

const update: Command = {
  name: "projects update",
  parameters: ["<name>"],
  options: [
    { name: "allow-anonymous", summary: "admit clients without a token" },
    { name: "require-token", summary: "admit only clients with a token; the default" },
    {
      name: "signing",
      value: `<${algorithms.join("|")}>`,
      summary: "sign tokens with a key pair, or with the API keys",
    },
  ],
  summary: "Changes whether a project's channels admit clients without a token, and how its tokens are signed.",
  help: `If a client sends a token, it is checked in any case.
With --signing eddsa, programs can verify the project's tokens by its public keys, at /.well-known/jwks.json?project_id=<name>;
again, it creates a new key pair. Tokens that were signed before stay valid. To end those of a key: media-ops keys revoke <key id>`,
  isAct: true,
  async run({ open, now }, [name = ""], { switches, values }) {
    const allowAnonymous = switches.has("allow-anonymous");
    const requireToken = switches.has("require-token");
    const signing = values.signing === undefined ? undefined : readOneOf("--signing", values.signing, algorithms);
    if (allowAnonymous && requireToken)
      throw new UsageError("Give either --allow-anonymous or --require-token, not both.");
    if (!allowAnonymous && !requireToken && signing === undefined) {
      throw new UsageError("Give --allow-anonymous, --require-token or --signing, to say what to change.");
    }
    const { query, vault } = await open(name);
    const text: string[] = [];
    if (allowAnonymous || requireToken) {
      await updateProject(query, name, { allowAnonymous });
      text.push(`The channels of ${name} now ${allowAnonymous ? "admit" : "refuse"} clients without a token.`);
    }
    let keyId: string | undefined;
    if (signing === "eddsa") {
      keyId = await createSigningKey(query, vault, name, now());
      text.push(`The tokens of ${name} are signed with EdDSA within seconds, by the new key ${keyId}.`);
    } else if (signing === "hs256") {
      await retireSigningKey(query, name, now());
      text.push(`The tokens of ${name} are signed with its API keys within seconds.`);
    }
    return {
      text: text.join("\n"),
      json: {
        project_id: name,
        ...((allowAnonymous || requireToken) && { allow_anonymous: allowAnonymous }),
        ...(signing !== undefined && { signing }),
        ...(keyId !== undefined && { key_id: keyId }),
      },
    };
  },
};

/** The commands of `projects`. */
export const projectCommands: readonly Command[] = [create, listAll, update];
