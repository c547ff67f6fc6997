import { createApiKey, listApiKeys, revokeApiKey } from "../keys/api-keys.js";
import { createIntakeKey, listIntakeKeys, revokeIntakeKey } from "../keys/intake-keys.js";
import { type Command, CommandError, newOption, toTable } from "./command.js";
import { needProject } from "./need-project.js";

const state = (revokedAt: string | null): string => (revokedAt === null ? "good" : `revoked ${revokedAt}`);

const createKey: Command = {
  name: "keys create",
  parameters: ["<project>"],
  summary: "Makes one more API key for a project, shown this once.",
  help: "To replace a key: make a new one, let everybody use it, then revoke the old one.",
  run: ({ withStorage, now }, [projectId = ""]) =>
    withStorage(async ({ query }, vault) => {
      await needProject(query, projectId);
      const { keyId, text } = await createApiKey(query, vault, projectId, now());
      return {
        text: `The API key of ${projectId}, shown this once:\n\n  ${text}\n`,
        json: { project_id: projectId, key_id: keyId, api_key: text },
      };
    }),
};

const listKeys: Command = {
  name: "keys list",
  parameters: ["[project]"],
  summary: "Lists the API keys of a project, or of all.",
  run: ({ withStorage }, [projectId]) =>
    withStorage(async ({ query }) => {
      if (projectId !== undefined) await needProject(query, projectId);
      const keys = await listApiKeys(query, projectId);
      return {
        text:
          keys.length === 0
            ? "There is no API key yet. Make one: media-ops keys create <project>"
            : toTable(
                ["key id", "project", "made", "state"],
                keys.map((key) => [key.keyId, key.projectId, key.createdAt, state(key.revokedAt)]),
              ),
        json: keys.map((key) => ({
          key_id: key.keyId,
          project_id: key.projectId,
          created_at: key.createdAt,
          revoked_at: key.revokedAt,
        })),
      };
    }),
};

const createForIntake: Command = {
  name: "intake-keys create",
  parameters: ["[label]"],
  options: [newOption],
  summary: "Makes a key with which a media server sends its events, shown this once.",
  run: ({ withNewStorage, now }, [label = ""]) =>
    withNewStorage(async ({ query }) => {
      const { keyId, text } = await createIntakeKey(query, label, now());
      return {
        text: `The intake key, shown this once:\n\n  ${text}\n`,
        json: { key_id: keyId, label, intake_key: text },
      };
    }),
};

const listForIntake: Command = {
  name: "intake-keys list",
  parameters: [],
  summary: "Lists the intake keys.",
  run: ({ withStorage }) =>
    withStorage(async ({ query }) => {
      const keys = await listIntakeKeys(query);
      return {
        text:
          keys.length === 0
            ? "There is no intake key yet. Make one: media-ops intake-keys create"
            : toTable(
                ["key id", "label", "made", "state"],
                keys.map((key) => [key.keyId, key.label || "–", key.createdAt, state(key.revokedAt)]),
              ),
        json: keys.map((key) => ({
          key_id: key.keyId,
          label: key.label,
          created_at: key.createdAt,
          revoked_at: key.revokedAt,
        })),
      };
    }),
};

/** Ends a key of either kind. */
function revoking(group: string, kind: string, summary: string, revoke: typeof revokeApiKey): Command {
  return {
    name: `${group} revoke`,
    parameters: ["<key id>"],
    summary,
    run: ({ withStorage, now }, [given = ""]) =>
      withStorage(async ({ query }) => {
        const keyId = keyIdOf(given);
        if (!(await revoke(query, keyId, now()))) {
          throw new CommandError(
            `There is no key ${keyId} that is still good. media-ops ${group} list shows those there are.`,
          );
        }
        return { text: `The ${kind} ${keyId} is revoked.`, json: { key_id: keyId, revoked: true } };
      }),
  };
}

const revokeKey = revoking(
  "keys",
  "API key",
  "Ends an API key, and every token signed with it, within seconds.",
  revokeApiKey,
);
const revokeForIntake = revoking("intake-keys", "intake key", "Ends an intake key.", revokeIntakeKey);

/** The id, also where the whole key was given: whoever has to end a leaked key has that at hand. */
function keyIdOf(given: string): string {
  return /^m[oi]_([^_]+)_/.exec(given)?.[1] ?? given;
}

export const keyCommands: readonly Command[] = [
  createKey,
  listKeys,
  revokeKey,
  createForIntake,
  listForIntake,
  revokeForIntake,
];
