// Slack allows 50 a minute in a workspace; some are left for the answers to people.
const EDITS_A_MINUTE = 40;
const MINUTE_MS = 60_000;
// After a failure that is nobody's fault.
const AFTER_FAILURE_MS = 5000;

/** The limit of Slack's that a call counts against. */
export type SlackCall = "post" | "edit";

/** When the next call to Slack may be made, for each channel of one workspace. Times are of a monotonic clock. */
export class SlackPace {
  readonly #channelMs: number;
  readonly #nextAt = new Map<string, number>();
  readonly #busy = new Set<string>();
  #edits: number[] = [];
  #editsFrom = 0;

  /** @param channelMs the pause in a channel, after edits and notes as well, so that a channel never flickers. */
  constructor(channelMs: number) {
    this.#channelMs = channelMs;
  }

  /** Whether a call may be made in a channel now. */
  isFree(channel: string, call: SlackCall): boolean {
    const now = performance.now();
    if (this.#busy.has(channel) || now < (this.#nextAt.get(channel) ?? 0)) return false;
    if (call === "post") return true;
    this.#edits = this.#edits.filter((at) => at > now - MINUTE_MS);
    return now >= this.#editsFrom && this.#edits.length < EDITS_A_MINUTE;
  }

  /** Makes a call; no other is made in the channel meanwhile, and for a pause after it. */
  async run<T>(channel: string, call: SlackCall, send: () => Promise<T>): Promise<T> {
    this.#busy.add(channel);
    if (call === "edit") this.#edits.push(performance.now());
    try {
      return await send();
    } finally {
      this.#busy.delete(channel);
      this.#wait(channel, this.#channelMs);
    }
  }

  /** Obeys Slack's request to wait. */
  limited(channel: string, call: SlackCall, retryAfterS: number): void {
    this.#wait(channel, retryAfterS * 1000);
    if (call === "edit") this.#editsFrom = Math.max(this.#editsFrom, performance.now() + retryAfterS * 1000);
  }

  failed(channel: string): void {
    this.#wait(channel, AFTER_FAILURE_MS);
  }

  #wait(channel: string, ms: number): void {
    this.#nextAt.set(channel, Math.max(this.#nextAt.get(channel) ?? 0, performance.now() + ms));
  }
}
