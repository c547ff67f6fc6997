import type { Kysely } from "kysely";
import { markChanged } from "../projects/projects.js";
import type { Tables } from "../storage/tables.js";
import type { Webhook } from "./webhooks.js";

interface EndpointHealthOptions {
  readonly query: Kysely<Tables>;
  /** Reads the projects again. */
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

  /**
   * Notes whether a receiver accepted a webhook.
   *
   * @param webhook As cached: it says what was noted before.
   * @param at When the webhook was sent, in ms since 1970.
   */
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
    await query.transaction().execute(async (transaction) => {
      await markChanged(transaction, projectId);
      await transaction
        .updateTable("webhook")
        .set({ failing_since: failingSince })
        .where((webhook) => webhook.and({ project_id: projectId, kind, url }))
        // Another process may have noted an earlier failure.
        .$if(failingSince !== null, (one) => one.where("failing_since", "is", null))
        .execute();
    });
    await refresh();
  }
}
