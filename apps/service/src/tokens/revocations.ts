import type { TokenRevocation } from "@media-ops/contract";
import type { Statement } from "@media-ops/database";
import { type RevocationList, type TokenClaims, toRevocationList } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import { Follower } from "../follower.js";
import { nextVersionStatement } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** The tokens to revoke: one, or all for a channel that were issued before a time in ms since 1970. */
export type RevocationSubject =
  | { readonly jwtId: string }
  | { readonly channelId: string; readonly issuedBefore: number };

const COUNTER = "token_revocation";

// Every process refuses a revoked token within this time of the answer, as the contract promises.
export const EFFECTIVE_MS = 1000;
const REFRESH_MS = 400;
// Leaves time for the answer to a client whose token was good when it was checked.
const KNOWN_WITHIN_MS = 800;

/** How long a revocation is kept if the service has no record of its token. */
export const KEPT_MS = 366 * 24 * 60 * 60 * 1000;

/** How many revocations a project may have: some bytes of each are in the memory of every process. */
export const MAX_REVOCATIONS = 1_000_000;

const nameOf = (subject: { jwtId: string } | { channelId: string }): string =>
  "jwtId" in subject ? `t ${subject.jwtId}` : `c ${subject.channelId}`;

/** Revokes tokens; `until` is when none of them can be valid. A channel's later time replaces an earlier one. */
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

/** The number of a project's revocations. */
export async function countRevocations(query: Kysely<Tables>, projectId: string): Promise<number> {
  const own = query.selectFrom("token_revocation").where("project_id", "=", projectId);
  return (await own.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

const DELETED_AT_ONCE = 500;

/** Deletes the revocations of tokens that have ended before a time, in ms since 1970, in small steps. */
export async function sweepRevocations(query: Kysely<Tables>, time: number, signal: AbortSignal): Promise<void> {
  const over = query
    .selectFrom("token_revocation")
    .select(["project_id", "subject"])
    .where("until", "<", time)
    .limit(DELETED_AT_ONCE)
    .$asTuple("project_id", "subject");
  const sweep = query
    .deleteFrom("token_revocation")
    .where(({ eb, refTuple }) => eb(refTuple("project_id", "subject"), "in", over));
  while (!signal.aborted) {
    const { numDeletedRows } = await sweep.executeTakeFirstOrThrow();
    if (numDeletedRows < BigInt(DELETED_AT_ONCE)) return;
  }
}

// The largest integer that a Map holds without an object of its own.
const FOR_GOOD = 2 ** 31 - 1;
const MINUTE_MS = 60_000;

const toMinute = (until: number | null): number =>
  until === null ? FOR_GOOD : Math.min(FOR_GOOD, Math.ceil(until / MINUTE_MS));

/** FNV-1a in 32 bits. */
function hashOf(subject: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < subject.length; at++) hash = Math.imul(hash ^ subject.charCodeAt(at), 0x01000193);
  return hash;
}

/** The minutes since 1970 until which a project's revocations are kept, by the hashes of their subjects. */
type Known = Map<number, number>;

const NONE = toRevocationList([]);
// Read in some milliseconds.
const READ_AT_ONCE = 1000;

/** Finds revocations. */
export type Revocations = Awaited<ReturnType<typeof openRevocations>>;

/** Keeps in memory which tokens may be revoked, as other processes revoke, too; reports failures to read them. */
export async function openRevocations(query: Kysely<Tables>, onChange: (error: unknown) => void) {
  const projects = new Map<string, Known>();
  const follower = await Follower.start<Pick<RevocationRow, "project_id" | "subject" | "until">>({
    async read(since, limit) {
      const rows = await query
        .selectFrom("token_revocation")
        .select(["project_id", "subject", "until", "version"])
        .where("version", ">", since)
        .orderBy("version")
        .limit(limit)
        .execute();
      return { rows, version: rows.at(-1)?.version ?? since };
    },
    keep({ project_id, subject, until }) {
      const known: Known = projects.get(project_id) ?? new Map();
      const hash = hashOf(subject);
      projects.set(project_id, known.set(hash, Math.max(known.get(hash) ?? 0, toMinute(until))));
    },
    everyMs: REFRESH_MS,
    onChange,
  });
  return {
    /** The revocations that can end tokens with these claims. Rejects if they can't be read: no token is let in. */
    async among(projectId: string, claims: Iterable<RevocableClaims>): Promise<RevocationList> {
      await follower.upToDate(KNOWN_WITHIN_MS);
      const known = projects.get(projectId);
      return known ? findAmong(query, projectId, claims, (subject) => known.has(hashOf(subject))) : NONE;
    },
    /** Forgets what was kept until a time, in ms since 1970. */
    forget(time: number): void {
      for (const known of projects.values()) {
        for (const [hash, minute] of known) if (minute * MINUTE_MS < time) known.delete(hash);
      }
    },
    close: (): void => follower.close(),
  };
}

type RevocableClaims = Pick<TokenClaims, "jti" | "channel_id">;

/** The same as `among`, read from the database; `mayExist` excludes subjects that have none. */
async function findAmong(
  query: Kysely<Tables>,
  projectId: string,
  claims: Iterable<RevocableClaims>,
  mayExist: (subject: string) => boolean = () => true,
): Promise<RevocationList> {
  const subjects = new Set<string>();
  for (const { jti, channel_id } of claims) {
    if (jti !== undefined) subjects.add(nameOf({ jwtId: jti.toLowerCase() }));
    if (channel_id !== undefined) subjects.add(nameOf({ channelId: channel_id }));
  }
  const asked = [...subjects].filter(mayExist);
  if (asked.length === 0) return NONE;
  const rows: RevocationRow[] = [];
  for (let at = 0; at < asked.length; at += READ_AT_ONCE) {
    const found = query
      .selectFrom("token_revocation")
      .selectAll()
      .where("project_id", "=", projectId)
      .where("subject", "in", asked.slice(at, at + READ_AT_ONCE));
    rows.push(...(await found.execute()));
  }
  return toRevocationList(rows.map(toRevocation).map(toListed));
}

/** Finds all revocations in the database. */
export const storedRevocations = (query: Kysely<Tables>): Pick<Revocations, "among"> => ({
  among: (projectId, claims) => findAmong(query, projectId, claims),
});

/** The revocation in the form of the tokens package, which needs one of the two kinds. */
function toListed({ jwt_id, channel_id = "", issued_before = "", revoked_at, revoked_by }: StoredRevocation) {
  const how = { revoked_at, revoked_by };
  return jwt_id === undefined ? { channel_id, issued_before, ...how } : { jwt_id, ...how };
}
