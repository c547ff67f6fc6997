import type { Installation, InstallationQuery, InstallationStore } from "@slack/oauth";
import type { Storage } from "../storage/open-storage.js";

/** Nobody has installed the app there, or it was removed. */
export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";

  constructor(where: string) {
    super(`The app is not installed in ${where}. Someone must add it to the workspace first.`);
  }
}

/** What an installation is sealed for. */
export const purposeOf = (id: string): string => `installation ${id}`;

/** Keeps what Slack gave for each workspace, encrypted, where every bot process finds it. */
export function createInstallationStore({ query, vault }: Storage, now: () => number): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      const id = idOf({
        isEnterpriseInstall: installation.isEnterpriseInstall === true,
        teamId: installation.team?.id,
        enterpriseId: installation.enterprise?.id,
      });
      const row = { sealed: await vault.seal(JSON.stringify(installation), purposeOf(id)), installed_at: now() };
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
      const installation: Installation = JSON.parse(await vault.open(row.sealed, purposeOf(id)));
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
