import { createApiKey, listApiKeys, revokeApiKey } from "../keys/api-keys.js";
import { createIntakeKey, listIntakeKeys, revokeIntakeKey } from "../keys/intake-keys.js";
import { listSigningKeys, revokeSigningKey } from "../tokens/signing-keys.js";
import { type Command, CommandError, newOption, toTable } from "./command.js";
import { needProject } from "./projects.js";

const state = (revokedAt: string | null): string => (revokedAt === null ? "valid" : `revoked ${revokedAt}`);

const createKey: Command = {
  name: "keys create",
  parameters: ["<project>"],
  summary: "Creates another API key for a project. It is shown only once.",
  isAct: true,
  help: "To replace a key: create a new one, use it everywhere, then revoke the old one.",
  async run({ open, now }, [projectId = ""]) {
    const { query, vault } = await open();
    await needProject(query, projectId);
    const { keyId, text } = await createApiKey(query, vault, projectId, now());
    return {
      text: `The new API key of ${projectId}, shown only once:\n\n  ${text}\n`,
      json: { project_id: projectId, key_id: keyId, api_key: text },
    };
  },
};

const listKeys: Command = {
  name: "keys list",
  parameters: ["[project]"],
  summary: "Lists the API keys and signing keys of a project, or of all projects.",
  async run({ open }, [projectId]) {
    const { query } = await open();
    if (projectId !== undefined) await needProject(query, projectId);
    const apiKeys = await listApiKeys(query, projectId);
    const signingKeys = await listSigningKeys(query, projectId);
    const keys = [
      ...apiKeys.map((key) => ({ ...key, kind: "api", retiredAt: null })),
      ...signingKeys.map((key) => ({ ...key, kind: "signing" })),
    ];
    const rows = keys.map((key) => [
      key.keyId,
      key.kind,
      key.projectId,
      key.createdAt,
      key.revokedAt === null && key.retiredAt !== null ? `retired ${key.retiredAt}` : state(key.revokedAt),
    ]);
    return {
      text: toTable(
        ["key id", "kind", "project", "created", "state"],
        rows,
        "There is no API key yet. To create one: media-ops keys create <project>",
      ),
      json: keys.map((key) => ({
        key_id: key.keyId,
        kind: key.kind,
        project_id: key.projectId,
        created_at: key.createdAt,
        retired_at: key.retiredAt,
        revoked_at: key.revokedAt,
      })),
    };
  },
};

const createForIntake: Command = {
  name: "intake-keys create",
  parameters: ["[label]"],
  options: [newOption],
  summary: "Creates a key for a media server to send its events with. It is shown only once.",
  isAct: true,
  async run({ create, now }, [label = ""]) {
    const { query } = await create();
    const { keyId, text } = await createIntakeKey(query, label, now());
    return {
      text: `The new intake key, shown only once:\n\n  ${text}\n`,
      json: { key_id: keyId, label, intake_key: text },
    };
  },
};

const listForIntake: Command = {
  name: "intake-keys list",
  parameters: [],
  summary: "Lists the intake keys.",
  async run({ open }) {
    const { query } = await open();
    const keys = await listIntakeKeys(query);
    const rows = keys.map((key) => [key.keyId, key.label || "–", key.createdAt, state(key.revokedAt)]);
    return {
      text: toTable(
        ["key id", "label", "created", "state"],
        rows,
        "There is no intake key yet. To create one: media-ops intake-keys create",
      ),
      json: keys.map((key) => ({
        key_id: key.keyId,
        label: key.label,
        created_at: key.createdAt,
        revoked_at: key.revokedAt,
      })),
    };
  },
};

function revokeCommand(group: string, kind: string, summary: string, revoke: typeof revokeApiKey): Command {
  return {
    name: `${group} revoke`,
    parameters: ["<key id>"],
    summary,
    isAct: true,
    async run({ open, now }, [given = ""]) {
      const { query } = await open();
      const keyId = keyIdOf(given);
      if (!(await revoke(query, keyId, now()))) {
        throw new CommandError(`There is no valid ${kind} ${keyId}. To list the keys: media-ops ${group} list`);
      }
      const keys = [...(await listApiKeys(query, undefined)), ...(await listSigningKeys(query, undefined))];
      const projectId = keys.find((key) => key.keyId === keyId)?.projectId;
      return {
        text: `Revoked the ${kind} ${keyId}.`,
        json: { key_id: keyId, ...(projectId !== undefined && { project_id: projectId }), revoked: true },
      };
    },
  };
}

/** Also accepts a whole key: after a leak, the key itself is at hand. */
function keyIdOf(given: string): string {
  return /^m[oi]_([^_]+)_/.exec(given)?.[1] ?? given;
}

/** The commands of `keys` and `intake-keys`. */
export const keyCommands: readonly Command[] = [
  createKey,
  listKeys,
  revokeCommand(
    "keys",
    "key",
    "Revokes an API key or a signing key, and every token signed with it, within seconds.",
    async (query, keyId, now) => (await revokeApiKey(query, keyId, now)) || revokeSigningKey(query, keyId, now),
  ),
  createForIntake,
  listForIntake,
  revokeCommand("intake-keys", "intake key", "Revokes an intake key.", revokeIntakeKey),
];
