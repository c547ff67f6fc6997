import type { Clocks } from "../config/surroundings.js";
import { type Courier, GONE, isSuccess, type Try } from "../webhooks/courier.js";
import type { Webhook } from "../webhooks/webhooks.js";
import type { DeliveryQueue, Outcome, Settled, WaitingDelivery } from "./delivery-queue.js";
import { hasLapsed, type Lease } from "./lease.js";
import { nextTryAt } from "./retry-schedule.js";
import type { Slot, Slots } from "./slots.js";

/** What a {@link ProjectQueue} works with. */
export interface ProjectQueueOptions extends Clocks {
  readonly projectId: string;
  readonly queue: DeliveryQueue;
  readonly courier: Courier;
  random(): number;
  /** The project's address as it is known; asked anew where the answer must be right. */
  webhook(how: "known" | "anew"): Promise<Webhook | undefined>;
  settle(settled: Settled): Promise<void>;
  onGone(webhook: Webhook): Promise<void>;
  /** Limits what all projects together have under way. */
  readonly slots: Slots;
  /** Told when nothing is left to do. */
  onIdle(): void;
  onError(error: unknown): void;
}

const TIMEOUT_MS = 10_000;
// A receiver that is well gets so many at a time; one that fails is not to be kept from getting up.
const AT_ONCE = 20;
const AT_ONCE_WHILE_FAILING = 2;
// What is read waits in memory, and a body may be large.
const READ_AT_ONCE = 50;

/** The deliveries of one project, while there are any: many at a time, those of one lane one after another. */
export class ProjectQueue {
  readonly #options: ProjectQueueOptions;
  /** Read, and not begun. */
  #waiting: WaitingDelivery[] = [];
  /** Ids of all that was read and has no outcome yet. */
  readonly #known = new Set<string>();
  /** Ids of those that got theirs while it is read what is due: as it was read, they may still have waited. */
  readonly #endedMeanwhile = new Set<string>();
  readonly #busyLanes = new Set<string>();
  #underWay = 0;
  #isFailing = false;
  #isStopped = false;
  /** Whether there may be more in the database than was read. */
  #hasMore = true;
  #pumping: Promise<void> | undefined;
  /** A slot that this project waited for and has not used yet. */
  #spareSlot: Slot | undefined;
  readonly #onSlot = (slot: Slot): void => {
    this.#spareSlot?.release();
    this.#spareSlot = slot;
    this.#pump();
  };
  #whenIdle: (() => void) | undefined;
  #lease: Lease;

  constructor(options: ProjectQueueOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
  }

  /** Something may have become due. */
  wake(lease: Lease): void {
    this.hold(lease);
    this.#hasMore = true;
    this.#pump();
  }

  /** The queue is this process's for so long, if not for longer. */
  hold(lease: Lease): void {
    if (hasLapsed(this.#lease, this.#options) || lease.elapsedUntil > this.#lease.elapsedUntil) this.#lease = lease;
  }

  /** Another process has the queue now: forgets what was read and not begun. */
  drop(): void {
    this.#drop();
    this.#pump();
  }

  #drop(): void {
    this.#forgetWaiting();
    this.#hasMore = false;
  }

  #forgetWaiting(): void {
    for (const { deliveryId } of this.#waiting) this.#known.delete(deliveryId);
    this.#waiting = [];
  }

  /** Begins nothing any more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pumping;
    if (this.#underWay === 0) return;
    await new Promise<void>((done) => {
      this.#whenIdle = done;
    });
  }

  #pump(): void {
    if (this.#isStopped) return;
    this.#pumping ??= this.#beginAll();
  }

  get #needsMore(): boolean {
    return this.#waiting.length < READ_AT_ONCE / 2;
  }

  get #hasRoom(): boolean {
    return this.#underWay < (this.#isFailing ? AT_ONCE_WHILE_FAILING : AT_ONCE);
  }

  /** Never rejects. What follows its last `await` is one step, so that no slot that is handed over goes unseen. */
  async #beginAll(): Promise<void> {
    try {
      let webhook = await this.#options.webhook("known");
      if (!isOn(webhook)) webhook = await this.#options.webhook("anew");
      if (isOn(webhook)) {
        if (this.#hasMore && this.#needsMore) await this.#read();
        this.#beginWaiting(webhook);
      } else {
        await this.#giveUp(webhook);
      }
    } catch (error) {
      // The next look for due deliveries finds it again.
      this.#hasMore = false;
      this.#options.onError(error);
    } finally {
      this.#pumping = undefined;
      this.#spareSlot?.release();
      this.#spareSlot = undefined;
      if (this.#hasMore && this.#hasRoom && this.#needsMore) this.#pump();
      else if (this.#underWay === 0 && this.#waiting.length === 0) this.#options.onIdle();
    }
  }

  #beginWaiting(webhook: Webhook): void {
    while (this.#hasRoom && !this.#isStopped) {
      if (hasLapsed(this.#lease, this.#options)) {
        this.#drop();
        return;
      }
      const at = this.#waiting.findIndex(({ lane }) => !this.#busyLanes.has(lane));
      if (at === -1) return;
      const slot = this.#takeSlot();
      if (!slot) return;
      const [next] = this.#waiting.splice(at, 1);
      if (next) void this.#deliver(next, webhook, slot);
    }
  }

  #takeSlot(): Slot | undefined {
    const slot = this.#spareSlot ?? this.#options.slots.take(this.#options.projectId, this.#onSlot);
    this.#spareSlot = undefined;
    return slot;
  }

  async #read(): Promise<void> {
    const limit = this.#known.size + READ_AT_ONCE;
    // Said before the question: what comes while it is answered may not be in the answer.
    this.#hasMore = false;
    this.#endedMeanwhile.clear();
    const due = await this.#options.queue.due(this.#options.projectId, limit);
    this.#hasMore ||= due.length === limit;
    for (const delivery of due) {
      if (this.#known.has(delivery.deliveryId) || this.#endedMeanwhile.has(delivery.deliveryId)) continue;
      this.#known.add(delivery.deliveryId);
      this.#waiting.push(delivery);
    }
    if (due.length > 0) return;
    // Another process owns the queue now, or what was said to be due had been delivered before: an event that came twice.
    this.#forgetWaiting();
    await this.#options.queue.lookAhead(this.#options.projectId);
  }

  async #deliver(delivery: WaitingDelivery, webhook: Webhook, slot: Slot): Promise<void> {
    const { lane, deliveryId, eventId, type, body } = delivery;
    this.#underWay += 1;
    this.#busyLanes.add(lane);
    let answerMs: number | undefined;
    try {
      const letter = { webhook, id: eventId, type, body, timeoutMs: TIMEOUT_MS };
      const tried = await this.#options.courier.send(letter);
      answerMs = tried.receipt.elapsedMs;
      // It was cut off by us, and is as it was.
      if (this.#isStopped && tried.receipt.status === 0) return;
      this.#isFailing = !isSuccess(tried.receipt);
      const outcome = outcomeOf(delivery, tried, this.#options.now(), this.#options.random());
      await this.#options.settle({ outcome, entry: tried.entry });
      if (tried.receipt.status === GONE) await this.#options.onGone(webhook);
    } catch (error) {
      // Not read again at once: whoever looks for what is due finds it.
      this.#hasMore = false;
      this.#options.onError(error);
    } finally {
      this.#underWay -= 1;
      slot.release(answerMs);
      this.#busyLanes.delete(lane);
      this.#known.delete(deliveryId);
      this.#endedMeanwhile.add(deliveryId);
      if (this.#underWay === 0) this.#whenIdle?.();
      this.#pump();
    }
  }

  /** There is no address any more for what waits. */
  async #giveUp(webhook: Webhook | undefined): Promise<void> {
    this.#drop();
    const why = webhook ? `is switched off: ${webhook.offReason}` : "was removed";
    await this.#options.queue.giveUp(this.#options.projectId, `The project's event address ${why}.`);
  }
}

function isOn(webhook: Webhook | undefined): webhook is Webhook {
  return webhook?.offAt === null;
}

function outcomeOf(delivery: WaitingDelivery, { receipt }: Try, now: number, random: number): Outcome {
  const { projectId, deliveryId } = delivery;
  const tries = delivery.tries + 1;
  const tried = { projectId, deliveryId, tries, status: receipt.status, fault: receipt.fault ?? null };
  if (isSuccess(receipt)) return { ...tried, state: "delivered", nextAt: null };
  const nextAt = receipt.status === GONE ? undefined : nextTryAt(tries, now, random);
  return nextAt === undefined ? { ...tried, state: "failed", nextAt: null } : { ...tried, state: "waiting", nextAt };
}
