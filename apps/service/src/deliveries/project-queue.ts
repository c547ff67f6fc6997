import type { Clocks } from "../config/surroundings.js";
import { GONE, isSuccess, type WebhookSender } from "../webhooks/sender.js";
import type { Webhook } from "../webhooks/webhooks.js";
import { outcomeOf, RESEND_LANE, type SettledDelivery, type WaitingDelivery } from "./delivery.js";
import { type DeliveryQueue, RESENDS_AT_ONCE } from "./delivery-queue.js";
import type { DeliverySlots, Slot } from "./slots.js";

/**
 * When a lease ends: only the wall clock counts the time that a machine was suspended. A try may begin only before it.
 */
export interface Lease {
  readonly wallUntil: number;
  readonly elapsedUntil: number;
}

function hasLapsed({ wallUntil, elapsedUntil }: Lease, { now, elapsed }: Clocks): boolean {
  return now() >= wallUntil || elapsed() >= elapsedUntil;
}

export interface DeliveryTools extends Clocks {
  readonly queue: DeliveryQueue;
  readonly sender: WebhookSender;
  random?(): number;
  onGone(webhook: Webhook): Promise<void>;
}

/** Options of {@link ProjectQueue}. */
export interface ProjectQueueOptions extends DeliveryTools {
  readonly projectId: string;
  /** The project's event address, as cached or as in the database. */
  webhook(from: "cache" | "database"): Promise<Webhook | undefined>;
  settle(settled: SettledDelivery): Promise<void>;
  readonly slots: DeliverySlots;
  onIdle(): void;
  onError(error: unknown): void;
}

const TIMEOUT_MS = 10_000;
const AT_ONCE = 20;
// A failing receiver gets few requests at a time, so that it can recover.
const AT_ONCE_WHILE_FAILING = 2;
// Deliveries stay in memory once they are read, and bodies may be large.
const READ_AT_ONCE = 50;
// At most 200 a second: the receiver has just come back.
const RESEND_EVERY_MS = 5;
// One that still fails gets ten a second: each try is written, which takes time from other projects.
const RESEND_WHILE_FAILING_MS = 100;

/** Delivers the events of one project: many at a time, but those of one lane one after another. */
export class ProjectQueue {
  readonly #options: ProjectQueueOptions;
  #waiting: WaitingDelivery[] = [];
  /** Ids of all deliveries that were read and have no outcome yet. */
  readonly #known = new Set<string>();
  /** Ids that got their outcome during a read, whose result may still contain them. */
  readonly #endedMeanwhile = new Set<string>();
  readonly #busyLanes = new Set<string>();
  #inFlight = 0;
  #isFailing = false;
  #isStopped = false;
  /** Whether the database may contain deliveries that were not read. */
  #hasMore = true;
  /** The same for those that are sent again. */
  #hasMoreAgain = false;
  #pumping: Promise<void> | undefined;
  /** A slot that this project was granted and has not used yet. */
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

  /** Checks for due deliveries; with `isPoll`, also for those that are sent again. */
  wake(lease: Lease, { isPoll }: { isPoll: boolean }): void {
    this.extend(lease);
    this.#hasMore = true;
    this.#hasMoreAgain ||= isPoll;
    this.#pump();
  }

  extend(lease: Lease): void {
    if (hasLapsed(this.#lease, this.#options) || lease.elapsedUntil > this.#lease.elapsedUntil) this.#lease = lease;
  }

  /** Discards deliveries that were not begun, because another process owns the queue now. */
  drop(): void {
    this.#drop();
    this.#pump();
  }

  #drop(): void {
    this.#forgetWaiting();
    this.#hasMore = false;
    this.#hasMoreAgain = false;
  }

  #forgetWaiting(): void {
    for (const { deliveryId } of this.#waiting) this.#known.delete(deliveryId);
    this.#waiting = [];
  }

  /** Starts no more tries, and waits for the deliveries in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pumping;
    if (this.#inFlight === 0) return;
    await new Promise<void>((done) => {
      this.#whenIdle = done;
    });
  }

  #pump(): void {
    if (this.#isStopped) return;
    this.#pumping ??= this.#beginAll();
  }

  get #shouldRead(): boolean {
    const waiting = this.#waiting.filter(({ lane }) => lane !== RESEND_LANE).length;
    return (this.#hasMore && waiting < READ_AT_ONCE / 2) || this.#shouldReadAgain;
  }

  get #shouldReadAgain(): boolean {
    return this.#hasMoreAgain && !this.#waiting.some(({ lane }) => lane === RESEND_LANE);
  }

  get #hasRoom(): boolean {
    return this.#inFlight < (this.#isFailing ? AT_ONCE_WHILE_FAILING : AT_ONCE);
  }

  /** Never rejects. After the last `await` everything is synchronous, so that no granted slot is missed. */
  async #beginAll(): Promise<void> {
    try {
      let webhook = await this.#options.webhook("cache");
      if (!isOn(webhook)) webhook = await this.#options.webhook("database");
      if (isOn(webhook)) {
        if (this.#shouldRead) await this.#read();
        this.#beginWaiting(webhook);
      } else {
        await this.#giveUp(webhook);
      }
    } catch (error) {
      // The deliverer's next poll for due deliveries retries.
      this.#hasMore = false;
      this.#hasMoreAgain = false;
      this.#options.onError(error);
    } finally {
      this.#pumping = undefined;
      this.#spareSlot?.release();
      this.#spareSlot = undefined;
      if (this.#hasRoom && this.#shouldRead) this.#pump();
      else if (this.#inFlight === 0 && this.#waiting.length === 0) this.#options.onIdle();
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
    const { queue, projectId } = this.#options;
    const readsAgain = this.#shouldReadAgain;
    // Set before reading: deliveries added during the read may be missing from its result.
    this.#hasMore = false;
    if (readsAgain) this.#hasMoreAgain = false;
    this.#endedMeanwhile.clear();
    const due = await queue.due(projectId, limit);
    const again = readsAgain ? await queue.dueAgain(projectId) : [];
    this.#hasMore ||= due.length === limit;
    this.#hasMoreAgain ||= again.length === RESENDS_AT_ONCE;
    for (const delivery of [...due, ...again]) {
      if (this.#known.has(delivery.deliveryId) || this.#endedMeanwhile.has(delivery.deliveryId)) continue;
      this.#known.add(delivery.deliveryId);
      this.#waiting.push(delivery);
    }
    if (due.length > 0 || again.length > 0 || this.#waiting.some(({ lane }) => lane === RESEND_LANE)) return;
    // Another process owns the queue now, or the due event was a repeat of a delivered one.
    this.#forgetWaiting();
    await this.#options.queue.lookAhead(this.#options.projectId);
  }

  async #deliver(delivery: WaitingDelivery, webhook: Webhook, slot: Slot): Promise<void> {
    const { lane, deliveryId, eventId, type, body } = delivery;
    this.#inFlight += 1;
    this.#busyLanes.add(lane);
    let answerMs: number | undefined;
    try {
      const { sender, now, random = Math.random, settle, onGone } = this.#options;
      const sent = await sender.send({ webhook, id: eventId, type, body, timeoutMs: TIMEOUT_MS });
      answerMs = sent.receipt.elapsedMs;
      // Cancelled by this process, so it does not count as a try.
      if (this.#isStopped && sent.receipt.status === 0) return;
      this.#isFailing = !isSuccess(sent.receipt);
      const outcome = outcomeOf(delivery, sent.receipt, now(), random());
      await settle({ outcome, entry: sent.entry });
      if (sent.receipt.status === GONE) await onGone(webhook);
    } catch (error) {
      // Not read again at once: the deliverer's next poll for due deliveries finds it.
      this.#hasMore = false;
      this.#options.onError(error);
    } finally {
      this.#inFlight -= 1;
      slot.release(answerMs);
      this.#known.delete(deliveryId);
      this.#endedMeanwhile.add(deliveryId);
      if (this.#inFlight === 0) this.#whenIdle?.();
      const everyMs = this.#isFailing ? RESEND_WHILE_FAILING_MS : RESEND_EVERY_MS;
      const restMs = lane === RESEND_LANE ? everyMs - (answerMs ?? 0) : 0;
      if (restMs > 0) setTimeout(() => this.#free(lane), restMs);
      else this.#free(lane);
    }
  }

  #free(lane: string): void {
    this.#busyLanes.delete(lane);
    this.#pump();
  }

  /** Ends all waiting deliveries, because the project no longer has an active address. */
  async #giveUp(webhook: Webhook | undefined): Promise<void> {
    this.#drop();
    const why = webhook ? `is switched off: ${webhook.offReason}` : "was removed";
    await this.#options.queue.giveUp(this.#options.projectId, `The project's event address ${why}.`);
  }
}

function isOn(webhook: Webhook | undefined): webhook is Webhook {
  return webhook?.offAt === null;
}
