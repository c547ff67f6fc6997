import type { Vault } from "@media-ops/secrets";
import { LRUCache } from "lru-cache";
import { purposeOf, type Webhook } from "./webhooks.js";

// Those that are being used now; opening one again costs a fraction of a millisecond.
const MAX_SECRETS = 10_000;

/** What webhooks are signed with, opened once and then kept. */
export class WebhookSecrets {
  readonly #vault: Vault;
  readonly #opened = new LRUCache<string, string>({ max: MAX_SECRETS });

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** The secrets that sign now, the newest first. */
  async of(webhook: Webhook, now: number): Promise<string[]> {
    const { secret, oldSecret, oldSecretUntil } = webhook;
    const isRotating = oldSecret !== null && now < (oldSecretUntil ?? 0);
    return Promise.all([secret, ...(isRotating ? [oldSecret] : [])].map((sealed) => this.#open(webhook, sealed)));
  }

  async #open({ projectId, kind }: Webhook, sealed: string): Promise<string> {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    const opened = await this.#vault.open(sealed, purposeOf(projectId, kind));
    this.#opened.set(sealed, opened);
    return opened;
  }
}
