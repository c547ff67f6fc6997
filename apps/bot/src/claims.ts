import { createHash } from "node:crypto";
import type { Storage } from "./storage/open-storage.js";
import type { Tables } from "./storage/tables.js";

// Larger than the clock difference between any two bots. A claim that ends more than this too late was made by a clock
// that was ahead.
const CLOCKS_APART_MS = 60_000;

type Claim = Tables["claim"] & { now: number };

/** Ensures that a repeated request is handled once, across any number of bot processes. */
export class Claims {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #commits;

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
    const { database } = storage;
    this.#commits = database.groupCommit<Claim, boolean>({
      // Claims don't depend on each other.
      keyOf: ({ hash }) => hash,
      commit: async (claims) => {
        const rows = await database.writeAll(claims.map((claim) => this.#statementOf(claim)));
        return rows.map((row) => row.length > 0);
      },
      // Callers receive the error and don't start their work.
      onSettled: () => {},
    });
  }

  /** Whether the key is claimed for the first time, or its former claim, always for the same time, has expired. */
  first(key: string, forMs: number): Promise<boolean> {
    const now = this.#now();
    return this.#commits.add({ hash: hashOf(key), until: now + forMs, now });
  }

  /** Releases a claim, so that the key can be claimed again. */
  async release(key: string): Promise<void> {
    await this.#storage.query.deleteFrom("claim").where("hash", "=", hashOf(key)).execute();
  }

  /** Waits for all claims in progress. */
  settled(): Promise<void> {
    return this.#commits.settled();
  }

  #statementOf({ hash, until, now }: Claim) {
    return (
      this.#storage.query
        .insertInto("claim")
        .values({ hash, until })
        // Only an expired claim, or one from a clock that was ahead, is replaced; otherwise no row is returned.
        .onConflict((conflict) =>
          conflict
            .column("hash")
            .doUpdateSet({ until })
            .where(({ or, eb }) => or([eb("claim.until", "<=", now), eb("claim.until", ">", until + CLOCKS_APART_MS)])),
        )
        .returning("hash")
        .compile()
    );
  }
}

/** The database stores only the hash of a key, which may contain a trigger's id. */
const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");
