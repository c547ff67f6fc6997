import { createHmac, randomBytes } from "node:crypto";
import {
  type Installation,
  type InstallationQuery,
  type InstallationStore,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from "@slack/oauth";
import type { Parts } from "./request.js";
import type { Storage } from "./storage/open-storage.js";

/** Nobody has installed the app there, or it was removed. */
export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";

  constructor(where: string) {
    super(`The app is not installed in ${where}. Someone must add it to the workspace first.`);
  }
}

/** What an installation is sealed for. */
export const installationPurpose = (id: string): string => `installation ${id}`;

/** Keeps what Slack gave for each workspace, encrypted, where every bot process finds it. */
export function createInstallationStore({ query, vault }: Storage, now: () => number): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      const id = idOf({
        isEnterpriseInstall: installation.isEnterpriseInstall === true,
        teamId: installation.team?.id,
        enterpriseId: installation.enterprise?.id,
      });
      const row = {
        sealed: await vault.seal(JSON.stringify(installation), installationPurpose(id)),
        installed_at: now(),
      };
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
      // Nobody but us can have sealed it.
      const installation: Installation = JSON.parse(await vault.open(row.sealed, installationPurpose(id)));
      return installation;
    },

    async deleteInstallation(wanted) {
      await query.deleteFrom("installation").where("team_id", "=", idOf(wanted)).execute();
    },
  };
}

type Wanted = Pick<InstallationQuery<boolean>, "isEnterpriseInstall" | "teamId" | "enterpriseId">;

/** An organisation that has installed the app for all of its workspaces has one installation for all. */
function idOf({ isEnterpriseInstall, teamId, enterpriseId }: Wanted): string {
  const id = isEnterpriseInstall ? enterpriseId : teamId;
  if (!id)
    throw new NotInstalledError(isEnterpriseInstall ? "an organisation without an id" : "a workspace without an id");
  return id;
}

// As long as Slack's own pages wait for whoever installs.
const GOOD_FOR_MS = 10 * 60_000;

const statePurpose = (hash: string): string => `oauth state ${hash}`;

/**
 * Keeps what an installation began with until the browser comes back with its state, which is good once and for ten
 * minutes. Who can read the database cannot make a state of it.
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
        .values({ hash, sealed, until: now() + GOOD_FOR_MS })
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
        throw new InvalidStateError(
          "This installation was begun too long ago, or has been finished already. Begin anew.",
        );
      }
      // Nobody but us can have sealed it.
      const installOptions: InstallURLOptions = JSON.parse(await vault.open(row.sealed, statePurpose(hash)));
      return installOptions;
    },
  };
}

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
