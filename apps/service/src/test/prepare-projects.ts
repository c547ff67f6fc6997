import { createApiKey } from "../keys/api-keys.js";
import { createIntakeKey } from "../keys/intake-keys.js";
import { createProject, updateProject } from "../projects/projects.js";
import { openVault } from "../secrets/open-vault.js";
import { openStorage } from "../storage/open-storage.js";
import { setWebhook } from "../webhooks/webhooks.js";
import { testConfig } from "./harness.js";

/** The environment of services that share a database. */
export const sharedEnv = (url: string) => ({
  MEDIA_DATABASE_URL: url,
  MEDIA_MASTER_KEY: "5".repeat(64),
  MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
  MEDIA_MAX_LAG_MS: "0",
  MEDIA_PORT: "0",
  MEDIA_INTAKE_PORT: "0",
});

/**
 * Creates projects in the database of services that run as separate processes, and the keys to call them. The projects
 * admit every client, and have an event address if a `url` is given.
 */
export async function prepareProjects(
  env: Readonly<Record<string, string>>,
  projects: readonly string[],
  url?: string,
): Promise<{ intakeKey: string; apiKeys: ReadonlyMap<string, string> }> {
  const config = testConfig(env);
  const storage = await openStorage(config.databaseUrl);
  try {
    const { query } = storage;
    const now = Date.now();
    const vault = await openVault(config, query);
    const apiKeys = new Map<string, string>();
    for (const projectId of projects) {
      await createProject(query, projectId, now);
      await updateProject(query, projectId, { allowAnonymous: true });
      if (url !== undefined) await setWebhook(query, vault, { projectId, kind: "event", url, now });
      apiKeys.set(projectId, (await createApiKey(query, vault, projectId, now)).text);
    }
    return { intakeKey: (await createIntakeKey(query, "test", now)).text, apiKeys };
  } finally {
    await storage.close();
  }
}
