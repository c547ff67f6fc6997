import { createApiKey, listApiKeys, revokeApiKey } from "../keys/api-keys.js";
import { createIntakeKey, listIntakeKeys, revokeIntakeKey } from "../keys/intake-keys.js";
import { listSigningKeys, revokeSigningKey } from "../tokens/signing-keys.js";
import { type Command, CommandError, type Field, list, newOption } from "./command.js";

const stateFields: readonly Field<{ createdAt: string; revokedAt: string | null; retiredAt?: string | null }>[] = [
  { name: "created_at", heading: "created", of: ({ createdAt }) => createdAt },
  {
    name: "revoked_at",
    heading: "state",
    of: ({ revokedAt }) => revokedAt,
    shown({ revokedAt, retiredAt = null }) {
      if (revokedAt !== null) return `revoked ${revokedAt}`;
      return retiredAt === null ? "valid" : `retired ${retiredAt}`;
    },
  },
];

const createKey: Command = {
  name: "keys create",
  parameters: ["<project>"],
  summary: "Creates another API key for a project. It is shown only once.",
  isAct: true,
  help: "To replace a key: create a new one, use it everywhere, then revoke the old one.",
  async run({ open, now }, [projectId = ""]) {
    const { query, vault } = await open(projectId);
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
    const { query } = await open(projectId);
    const apiKeys = await listApiKeys(query, projectId);
    const signingKeys = await listSigningKeys(query, projectId);
    const keys = [
      ...apiKeys.map((key) => ({ ...key, kind: "api", retiredAt: null })),
      ...signingKeys.map((key) => ({ ...key, kind: "signing" })),
    ];
    return list(
      keys,
      [
        { name: "key_id", heading: "key id", of: ({ keyId }) => keyId },
        { name: "kind", heading: "kind", of: ({ kind }) => kind },
        { name: "project_id", heading: "project", of: ({ projectId: id }) => id },
        { name: "retired_at", of: ({ retiredAt }) => retiredAt },
        ...stateFields,
      ],
      "There is no API key yet. To create one: media-ops keys create <project>",
    );
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
    return list(
      await listIntakeKeys(query),
      [
        { name: "key_id", heading: "key id", of: ({ keyId }) => keyId },
        { name: "label", heading: "label", of: ({ label }) => label, shown: ({ label }) => label || "–" },
        ...stateFields,
      ],
      "There is no intake key yet. To create one: media-ops intake-keys create",
    );
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
const keyIdOf = (given: string): string => /^m[oi]_([^_]+)_/.exec(given)?.[1] ?? given;

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
