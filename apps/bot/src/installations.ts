import { createHmac, randomBytes } from "node:crypto";
import {
  type Installation,
  type InstallationQuery,
  type InstallationStore,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from "@slack/oauth";
import type { BotParts } from "./request.js";
import type { Storage } from "./storage/open-storage.js";

/** The app is not installed in a workspace, or was removed from it. */
export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";

  constructor(where: string) {
    super(`The app is not installed in ${where}. Someone must add it to the workspace first.`);
  }
}

/** The purpose that an installation is encrypted for. */
export const installationPurpose = (id: string): string => `installation ${id}`;

/** Stores each workspace's installation, encrypted, for all bot processes. */
export function createInstallationStore({ query, vault }: Storage, now: () => number): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      const id = idOf({
        isEnterpriseInstall: installation.isEnterpriseInstall === true,
        teamId: installation.team?.id,
        enterpriseId: installation.enterprise?.id,
      });
      const sealed = await vault.seal(JSON.stringify(installation), installationPurpose(id));
      const row = { sealed, installed_at: now() };
      await query
        .insertInto("installation")
        .values({ team_id: id, ...row })
        .onConflict((conflict) => conflict.column("team_id").doUpdateSet(row))
        .execute();
    },

    async fetchInstallation(wanted) {
      const id = idOf(wanted);
      const row = await query.selectFrom("installation").select("sealed").where("team_id", "=", id).executeTakeFirst();
      if (!row) throw new NotInstalledError(id);
      // Only the bot can have encrypted it, so its shape is known.
      const installation: Installation = JSON.parse(await vault.open(row.sealed, installationPurpose(id)));
      return installation;
    },

    async deleteInstallation(wanted) {
      await query.deleteFrom("installation").where("team_id", "=", idOf(wanted)).execute();
    },
  };
}

/** An organization that installed the app for all of its workspaces has one installation. */
function idOf({
  isEnterpriseInstall,
  teamId,
  enterpriseId,
}: Pick<InstallationQuery<boolean>, "isEnterpriseInstall" | "teamId" | "enterpriseId">): string {
  const id = isEnterpriseInstall ? enterpriseId : teamId;
  if (id) return id;
  throw new NotInstalledError(isEnterpriseInstall ? "an organization without an id" : "a workspace without an id");
}

// Slack's own pages allow the same time for an installation.
const STATE_MS = 10 * 60_000;

const statePurpose = (hash: string): string => `oauth state ${hash}`;

/**
 * Stores an installation in progress until the browser returns its state, which is valid once and for ten minutes. Only
 * a keyed hash is stored, so a copy of the database does not contain a valid state.
 */
export function createStateStore({ query, vault }: Storage, stateSecret: string, now: () => number): StateStore {
  const hashOf = (state: string): string => createHmac("sha256", stateSecret).update(state).digest("base64url");
  return {
    async generateStateParam(installOptions) {
      const state = randomBytes(32).toString("base64url");
      const hash = hashOf(state);
      const sealed = await vault.seal(JSON.stringify(installOptions), statePurpose(hash));
      await query
        .insertInto("oauth_state")
        .values({ hash, sealed, until: now() + STATE_MS })
        .execute();
      return state;
    },

    async verifyStateParam(_, state) {
      const hash = hashOf(state);
      const row = await query
        .deleteFrom("oauth_state")
        .where("hash", "=", hash)
        .returning(["sealed", "until"])
        .executeTakeFirst();
      if (!row || row.until <= now()) {
        throw new InvalidStateError("This installation is too old, or was finished before. Begin again.");
      }
      // Only the bot can have encrypted it, so its shape is known.
      const installOptions: InstallURLOptions = JSON.parse(await vault.open(row.sealed, statePurpose(hash)));
      return installOptions;
    },
  };
}

/** Deletes a workspace's data after it removed the bot: Slack's token, and the keys of its projects. */
export function forgetWorkspace({ query }: Storage, { config, connections, watches, approvals, log }: BotParts) {
  return async (teamId: string, removedAt: number): Promise<void> => {
    // If the token is in the environment, the operator may restart the bot with another one.
    if (config.slack.access.kind === "token") return;
    const installation = await query
      .selectFrom("installation")
      .select("installed_at")
      .where("team_id", "=", teamId)
      .executeTakeFirst();
    // Slack may send the event after the bot was added again; its times are in seconds.
    if (installation && installation.installed_at >= removedAt + 1000) return;
    // Delete the keys first: if that fails, Slack's second event for the same removal still finds the installation.
    await connections.forget(teamId);
    await watches.forget(teamId);
    await approvals.forget(teamId);
    await query
      .deleteFrom("installation")
      .where("team_id", "=", teamId)
      .where("installed_at", "<", removedAt + 1000)
      .execute();
    log.info({ teamId }, "a workspace removed the bot; its token and its API keys are deleted");
  };
}
