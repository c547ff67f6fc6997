import type { Statement } from "@media-ops/database";
import { type RevocationList, toRevocationList } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import { Follower } from "../follower.js";
import type { TokenRevocation } from "../generated/extensions.js";
import { nextVersionStatement } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** The tokens to revoke: one, or all for a channel that were issued before a time in ms since 1970. */
export type RevocationSubject =
  | { readonly jwtId: string }
  | { readonly channelId: string; readonly issuedBefore: number };

const COUNTER = "token_revocation";

// A revoked token is refused by every process within this time of the answer, as the contract promises.
export const EFFECTIVE_MS = 1000;
const REFRESH_MS = 400;
// Leaves time for the answer to a client whose token was good when it was checked.
const KNOWN_WITHIN_MS = 800;

const nameOf = (subject: RevocationSubject): string =>
  "jwtId" in subject ? `t ${subject.jwtId}` : `c ${subject.channelId}`;

/**
 * The statements that revoke tokens. What is revoked already stays as it was; a channel's later time replaces an earlier
 * one.
 *
 * @param until When no such token can be valid any more, in ms since 1970; null if that is not known.
 */
export function revokeStatements(
  query: Kysely<Tables>,
  projectId: string,
  subject: RevocationSubject,
  { now, until, requestedBy }: { now: number; until: number | null; requestedBy: string | undefined },
): Statement[] {
  const { count, version } = nextVersionStatement(query, COUNTER);
  const isToken = "jwtId" in subject;
  const revoke = query
    .insertInto("token_revocation")
    .values({
      project_id: projectId,
      subject: nameOf(subject),
      jwt_id: isToken ? subject.jwtId : null,
      channel_id: isToken ? null : subject.channelId,
      issued_before: isToken ? null : subject.issuedBefore,
      revoked_at: now,
      revoked_by: requestedBy ?? null,
      until,
      version,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["project_id", "subject"])
        .doUpdateSet(({ ref }) => ({
          issued_before: ref("excluded.issued_before"),
          revoked_at: ref("excluded.revoked_at"),
          revoked_by: ref("excluded.revoked_by"),
          version: ref("excluded.version"),
        }))
        // Never true for a token, which has no such time.
        .whereRef("excluded.issued_before", ">", "token_revocation.issued_before"),
    );
  return [count, revoke.compile()];
}

/** A revocation as it is stored. */
export interface StoredRevocation extends TokenRevocation {
  /** When it was revoked, in ms since 1970. */
  readonly at: number;
  readonly subject: string;
}

/** The revocation of exactly these tokens, if there is one. */
export async function findRevocation(
  query: Kysely<Tables>,
  projectId: string,
  subject: RevocationSubject,
): Promise<StoredRevocation | undefined> {
  const row = await query
    .selectFrom("token_revocation")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("subject", "=", nameOf(subject))
    .executeTakeFirst();
  return row && toRevocation(row);
}

/** The newest revocations of a project, after a cursor. */
export async function listRevocations(
  query: Kysely<Tables>,
  projectId: string,
  { limit, after }: { limit: number; after?: readonly [at: number, subject: string] | undefined },
): Promise<StoredRevocation[]> {
  const rows = await query
    .selectFrom("token_revocation")
    .selectAll()
    .where("project_id", "=", projectId)
    .$if(after !== undefined, (all) =>
      all.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("revoked_at", "subject"), "<", tuple(after?.[0] ?? 0, after?.[1] ?? "")),
      ),
    )
    .orderBy("revoked_at", "desc")
    .orderBy("subject", "desc")
    .limit(limit)
    .execute();
  return rows.map(toRevocation);
}

type RevocationRow = Omit<Tables["token_revocation"], "version">;

const timeOf = (ms: number): string => new Date(ms).toISOString();

function toRevocation(row: RevocationRow): StoredRevocation {
  return {
    at: row.revoked_at,
    subject: row.subject,
    ...(row.jwt_id !== null && { jwt_id: row.jwt_id }),
    ...(row.channel_id !== null && { channel_id: row.channel_id }),
    ...(row.issued_before !== null && { issued_before: timeOf(row.issued_before) }),
    revoked_at: timeOf(row.revoked_at),
    ...(row.revoked_by !== null && { revoked_by: row.revoked_by }),
  };
}

/** Deletes the revocations of tokens that have ended before a time, in ms since 1970. */
export async function sweepRevocations(query: Kysely<Tables>, time: number): Promise<void> {
  await query.deleteFrom("token_revocation").where("until", "<", time).execute();
}

/** A project's revocations in memory. */
interface Known {
  readonly rows: Map<string, RevocationRow>;
  /** Compiled from `rows` when it is needed. */
  list: RevocationList | undefined;
}

const NONE = toRevocationList([]);

/** All revocations, in memory: checking a token reads no database. Those by other processes are read continually. */
export class Revocations {
  readonly #projects: Map<string, Known>;
  readonly #follower: Follower<RevocationRow>;

  private constructor(projects: Map<string, Known>, follower: Follower<RevocationRow>) {
    this.#projects = projects;
    this.#follower = follower;
  }

  /** @param onChange Called with an error when they cannot be read again, and without one when they can. */
  static async open(query: Kysely<Tables>, onChange: (error: unknown) => void): Promise<Revocations> {
    const projects = new Map<string, Known>();
    const follower = await Follower.start<RevocationRow>({
      async read(since, limit) {
        const rows = await query
          .selectFrom("token_revocation")
          .selectAll()
          .where("version", ">", since)
          .orderBy("version")
          .limit(limit)
          .execute();
        return { rows, version: rows.at(-1)?.version ?? since };
      },
      keep(row) {
        const known = projects.get(row.project_id) ?? { rows: new Map(), list: undefined };
        known.rows.set(row.subject, row);
        known.list = undefined;
        projects.set(row.project_id, known);
      },
      everyMs: REFRESH_MS,
      onChange,
    });
    return new Revocations(projects, follower);
  }

  /**
   * The revocations of a project, as they were at most a fraction of a second ago. Rejects if they cannot be read: a
   * token that may be revoked is not let in.
   */
  async of(projectId: string): Promise<RevocationList> {
    await this.#follower.upToDate(KNOWN_WITHIN_MS);
    return this.known(projectId);
  }

  /** The revocations of a project as of the last read. */
  known(projectId: string): RevocationList {
    const known = this.#projects.get(projectId);
    if (!known) return NONE;
    known.list ??= toRevocationList([...known.rows.values()].map(toRevocation).map(toListed));
    return known.list;
  }

  /** Reads the changes up to now. */
  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  /** Forgets the revocations of tokens that have ended before a time, in ms since 1970. */
  forget(time: number): void {
    for (const { rows } of this.#projects.values()) {
      for (const [subject, { until }] of rows) if (until !== null && until < time) rows.delete(subject);
    }
  }

  close(): void {
    this.#follower.close();
  }
}

/** The revocation in the form of the tokens package, which needs one of the two kinds. */
function toListed({ jwt_id, channel_id = "", issued_before = "", revoked_at, revoked_by }: StoredRevocation) {
  const how = { revoked_at, revoked_by };
  return jwt_id === undefined ? { channel_id, issued_before, ...how } : { jwt_id, ...how };
}
