import type { Statement } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import type { Kysely, Selection } from "kysely";
import { markChanged, markChangedStatements } from "../projects/projects.js";
import type { Tables } from "../storage/tables.js";
import { newWebhookSecret } from "./signature.js";

/** The kinds of webhooks for which a project may have an address. */
export const webhookKinds = ["auth", "session", "event"] as const;

/** One of {@link webhookKinds}. */
export type WebhookKind = (typeof webhookKinds)[number];

const columns = [
  "project_id as projectId",
  "kind",
  "url",
  "secret",
  "old_secret as oldSecret",
  "old_secret_until as oldSecretUntil",
  "set_at as setAt",
  "off_at as offAt",
  "off_reason as offReason",
  "failing_since as failingSince",
] as const;

/** A project's webhook address, as stored; its secrets are encrypted. */
export type Webhook = Readonly<Selection<Tables, "webhook", (typeof columns)[number]>>;

/** How long the previous secret also signs: time to update every receiver. */
const ROTATION_MS = 24 * 60 * 60 * 1000;

/** The purpose for which a signing secret is encrypted, so that it cannot be moved to another project. */
export const purposeOf = (projectId: string, kind: WebhookKind): string => `webhook ${kind} of ${projectId}`;

/** Sets a project's address, and switches it on. Returns the new secret, unless the address had one. */
export async function setWebhook(
  query: Kysely<Tables>,
  vault: Vault,
  { projectId, kind, url, now }: Pick<Webhook, "projectId" | "kind" | "url"> & { now: number },
): Promise<string | undefined> {
  const secret = newWebhookSecret();
  const sealed = await vault.seal(secret, purposeOf(projectId, kind));
  return change(query, projectId, async (transaction) => {
    const isKnown = (await findWebhook(transaction, projectId, kind)) !== undefined;
    const on = { url, set_at: new Date(now).toISOString(), off_at: null, off_reason: null, failing_since: null };
    await transaction
      .insertInto("webhook")
      .values({ project_id: projectId, kind, secret: sealed, ...on })
      .onConflict((conflict) => conflict.columns(["project_id", "kind"]).doUpdateSet(on))
      .execute();
    return isKnown ? undefined : secret;
  });
}

/** Removes a project's address. Returns false if there is none. */
export async function removeWebhook(query: Kysely<Tables>, projectId: string, kind: WebhookKind): Promise<boolean> {
  return change(query, projectId, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("webhook")
      .where((webhook) => webhook.and({ project_id: projectId, kind }))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  });
}

/** Creates a new secret, and keeps the old one valid for a day; undefined if there is no such address. */
export async function rotateSecret(
  query: Kysely<Tables>,
  vault: Vault,
  { projectId, kind, now }: Pick<Webhook, "projectId" | "kind"> & { now: number },
): Promise<{ secret: string; oldSecretUntil: number } | undefined> {
  const secret = newWebhookSecret();
  const sealed = await vault.seal(secret, purposeOf(projectId, kind));
  const oldSecretUntil = now + ROTATION_MS;
  return change(query, projectId, async (transaction) => {
    const row = await findWebhook(transaction, projectId, kind);
    if (!row) return undefined;
    await transaction
      .updateTable("webhook")
      .set({ secret: sealed, old_secret: row.secret, old_secret_until: oldSecretUntil })
      .where((webhook) => webhook.and({ project_id: projectId, kind }))
      .execute();
    return { secret, oldSecretUntil };
  });
}

/** The statements that switch an address on again. */
export function switchOnStatements(query: Kysely<Tables>, projectId: string, kind: WebhookKind): Statement[] {
  const on = query
    .updateTable("webhook")
    .set({ off_at: null, off_reason: null, failing_since: null })
    .where((webhook) => webhook.and({ project_id: projectId, kind }));
  return [...markChangedStatements(query, projectId), on.compile()];
}

/** Switches an address off, unless it was changed meanwhile. */
export async function switchOff(
  query: Kysely<Tables>,
  { projectId, kind, url, reason, now }: Pick<Webhook, "projectId" | "kind" | "url"> & { reason: string; now: number },
): Promise<void> {
  await change(query, projectId, (transaction) =>
    transaction
      .updateTable("webhook")
      .set({ off_at: new Date(now).toISOString(), off_reason: reason })
      .where((webhook) => webhook.and({ project_id: projectId, kind, url, off_at: null }))
      .execute(),
  );
}

/** Changes a project's webhooks. It is marked first, which locks it: a concurrent call waits, and finds the change. */
function change<Result>(
  query: Kysely<Tables>,
  projectId: string,
  work: (transaction: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return query.transaction().execute(async (transaction) => {
    await markChanged(transaction, projectId);
    return work(transaction);
  });
}

/** The webhook addresses of some projects. */
export async function webhooksOf(query: Kysely<Tables>, projectIds: readonly string[]): Promise<Webhook[]> {
  return query
    .selectFrom("webhook")
    .select(columns)
    .where("project_id", "in", projectIds)
    .orderBy("project_id")
    .orderBy("kind")
    .execute();
}

/** A project's webhook address of a kind. */
export const findWebhook = async (query: Kysely<Tables>, projectId: string, kind: WebhookKind) =>
  (await webhooksOf(query, [projectId])).find((webhook) => webhook.kind === kind);

interface EndpointHealthOptions {
  readonly query: Kysely<Tables>;
  refresh(): Promise<void>;
  onError(error: unknown): void;
}

// A receiver that fails every other time must not cost a write for each webhook.
const EVERY_MS = 1000;

/** Notes since when a webhook address fails. Only changes are written. */
export class EndpointHealth {
  readonly #options: EndpointHealthOptions;
  readonly #busy = new Set<string>();

  constructor(options: EndpointHealthOptions) {
    this.#options = options;
  }

  /** Notes whether a webhook, sent at this time, was accepted; the cached one says what was noted before. */
  note(webhook: Webhook, isAccepted: boolean, at: number): void {
    if (isAccepted === (webhook.failingSince === null)) return;
    const name = `${webhook.kind} ${webhook.projectId}`;
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    setTimeout(() => this.#busy.delete(name), EVERY_MS).unref();
    this.#write(webhook, isAccepted ? null : new Date(at).toISOString()).catch(this.#options.onError);
  }

  async #write({ projectId, kind, url }: Webhook, failingSince: string | null): Promise<void> {
    const { query, refresh } = this.#options;
    await change(query, projectId, (transaction) =>
      transaction
        .updateTable("webhook")
        .set({ failing_since: failingSince })
        .where((webhook) => webhook.and({ project_id: projectId, kind, url }))
        // Another process may have noted an earlier failure.
        .$if(failingSince !== null, (one) => one.where("failing_since", "is", null))
        .execute(),
    );
    await refresh();
  }
}
