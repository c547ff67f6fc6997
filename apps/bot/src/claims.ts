import { createHash } from "node:crypto";
import type { Storage } from "./storage/open-storage.js";

/** Sees to it that what comes twice is done once, over any number of bot processes. */
export interface Claims {
  /**
   * Whether this is the first time that the key is seen, or the first since the time it was claimed for is over. It is
   * kept in the database; where one commit after another would take long, many share one. A key is always claimed for
   * the same time.
   */
  first(key: string, forMs: number): Promise<boolean>;
  /** Gives up a claim, so that the key may be seen once more. */
  release(key: string): Promise<void>;
  /** Waits for all that has been asked. */
  settled(): Promise<void>;
}

// The clocks of several bots differ by less. A claim that lasts longer than it can last, by more than this, was made by a
// clock that was ahead.
const CLOCKS_APART_MS = 60_000;

interface Claim {
  readonly hash: string;
  readonly until: number;
  readonly now: number;
}

export function createClaims({ database, query }: Storage, now: () => number): Claims {
  const statementOf = ({ hash, until, now }: Claim) =>
    query
      .insertInto("claim")
      .values({ hash, until })
      // Only a claim that is over is taken over; otherwise no row comes back.
      .onConflict((conflict) =>
        conflict
          .column("hash")
          .doUpdateSet({ until })
          .where(({ or, eb }) => or([eb("claim.until", "<=", now), eb("claim.until", ">", until + CLOCKS_APART_MS)])),
      )
      .returning("hash")
      .compile();

  const commits = database.groupCommit<Claim, boolean>({
    // Nothing is claimed together with anything else.
    keyOf: ({ hash }) => hash,
    async commit(claims) {
      const rows = await database.writeAll(claims.map(statementOf));
      return rows.map((row) => row.length > 0);
    },
    // Whoever claimed is told, and does not begin.
    onSettled: () => {},
  });

  return {
    first(key, forMs) {
      const at = now();
      return commits.add({ hash: hashOf(key), until: at + forMs, now: at });
    },
    async release(key) {
      await query.deleteFrom("claim").where("hash", "=", hashOf(key)).execute();
    },
    settled: () => commits.settled(),
  };
}

/** What a key is made of, such as a trigger's id, is nobody's to read. */
const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
