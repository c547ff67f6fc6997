import { createHmac, randomBytes } from "node:crypto";
import { type InstallURLOptions, InvalidStateError, type StateStore } from "@slack/oauth";
import type { Storage } from "../storage/open-storage.js";

// As long as Slack's own pages wait for whoever installs.
const GOOD_FOR_MS = 10 * 60_000;

const purposeOf = (hash: string): string => `oauth state ${hash}`;

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
      const sealed = await vault.seal(JSON.stringify(installOptions), purposeOf(hash));
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
      const installOptions: InstallURLOptions = JSON.parse(await vault.open(row.sealed, purposeOf(hash)));
      return installOptions;
    },
  };
}
