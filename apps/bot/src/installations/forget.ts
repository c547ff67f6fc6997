import type { Parts } from "../parts.js";
import type { Storage } from "../storage/open-storage.js";

/** Deletes what is kept of a workspace that has removed the bot: Slack's token, and the keys of its projects. */
export function forgetting(storage: Storage, { config, connections, log }: Parts) {
  return async (teamId: string, removedAt: number): Promise<void> => {
    // Whoever runs the bot for one workspace has its token in the environment, and may start it again with another.
    if (config.slack.access.kind === "token") return;
    const { query } = storage;
    const installation = await query
      .selectFrom("installation")
      .select("installed_at")
      .where("team_id", "=", teamId)
      .executeTakeFirst();
    // Slack may tell of it when the bot has long been added again; it tells times in seconds.
    if (installation && installation.installed_at >= removedAt + 1000) return;
    // The keys go first: where that fails, Slack's other event of the same finds all that is left.
    await connections.forget(teamId);
    await query
      .deleteFrom("installation")
      .where("team_id", "=", teamId)
      .where("installed_at", "<", removedAt + 1000)
      .execute();
    log.info({ teamId }, "a workspace removed the bot; its token and its API keys are deleted");
  };
}
