import { setTimeout } from "node:timers/promises";
import type { Committer } from "@media-ops/database";
import type { Logger } from "pino";
import { ClockSteps, type Clocks } from "../config/surroundings.js";
import { Health, logChange } from "../health.js";
import { type Batch, batchNames } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { ProjectBook } from "../webhooks/project-book.js";
import { GONE, isSuccess, type WebhookSender } from "../webhooks/sender.js";
import type { Webhook } from "../webhooks/webhooks.js";
import {
  type DeliveryOutcome,
  outcomeOf,
  RESEND_LANE,
  type SettledDelivery,
  type WaitingDelivery,
} from "./delivery.js";
import { type DeliveryQueue, LEASE_MS, LEAST_LEASE_MS, RESENDS_AT_ONCE } from "./delivery-queue.js";

interface DelivererOptions extends Clocks {
  readonly storage: Pick<Storage, "groupCommit">;
  readonly queue: DeliveryQueue;
  readonly sender: WebhookSender;
  readonly book: ProjectBook;
  readonly log: Logger;
  /** The maximum number of deliveries in flight: each needs a socket. */
  readonly atOnce: number;
  random?(): number;
  onGone(webhook: Webhook): Promise<void>;
  onTried(outcome: DeliveryOutcome): void;
  onSettled(error: unknown): void;
}

// A retry may be this late.
const LOOK_EVERY_MS = 1000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const STOP_MS = 2000;
// NTP corrects clocks by less than this all the time.
const STEPPED_BACK_MS = 2000;

/** When a lease ends, by both clocks: only the wall clock counts the time that a machine was suspended. */
interface Lease {
  readonly wallUntil: number;
  readonly elapsedUntil: number;
}

function hasLapsed({ wallUntil, elapsedUntil }: Lease, { now, elapsed }: Clocks): boolean {
  return now() >= wallUntil || elapsed() >= elapsedUntil;
}

/** Delivers events to the projects' event addresses: new ones at once, and failed ones when they are due again. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #active = new Map<string, ProjectQueue>();
  readonly #slots: DeliverySlots;
  readonly #settling: Committer<SettledDelivery, void>;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  readonly #clockSteps: ClockSteps;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { storage, atOnce, log, onSettled } = options;
    this.#slots = new DeliverySlots({ atOnce, now: () => performance.now() });
    this.#clockSteps = new ClockSteps(options);
    const nextBatch = batchNames();
    this.#settling = storage.groupCommit({
      keyOf: ({ outcome }) => outcome.projectId,
      commit: async (settled) => {
        await this.#settle(settled, nextBatch());
        return settled.map(() => undefined);
      },
      onSettled,
      together: 1,
    });
    const health = new Health(
      logChange(log, "deliveries cannot be read or written; trying again", "deliveries continue"),
    );
    const every = (ms: number, work: () => Promise<void>) =>
      setInterval(() => {
        this.#looking = this.#looking.then(() => health.try(work));
      }, ms).unref();
    this.#timers = [every(LOOK_EVERY_MS, () => this.#look()), every(RENEW_EVERY_MS, () => this.#renew())];
  }

  /** A lease that starts now: before the query, so that it never outlasts the one stored there. */
  startLease(ms: number = LEASE_MS): Lease {
    const { now, elapsed } = this.#options;
    return { wallUntil: now() + ms, elapsedUntil: elapsed() + ms };
  }

  /** Starts deliveries of projects whose queues this process owns; with `isPoll`, others may have added some. */
  wake(projectIds: readonly string[], lease: Lease, isPoll = false): void {
    if (this.#stopping.signal.aborted) return;
    for (const projectId of projectIds) {
      const active = this.#active.get(projectId) ?? this.#open(projectId, lease);
      active.wake(lease, { isPoll });
    }
  }

  /** Waits a short time for the deliveries in flight; the others stay in their queues. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    const idle = Promise.all([...this.#active.values()].map((active) => active.stop()));
    await Promise.race([idle, setTimeout(STOP_MS, undefined, { ref: false })]);
    await this.#settling.settled();
    const { queue, log } = this.#options;
    // Without a release the queues are free when their leases end.
    await queue.release().catch((error) => log.warn({ err: error }, "the delivery queues could not be released"));
  }

  /** Retries until the outcomes are written: otherwise the events would be delivered again. */
  async #settle(settled: readonly SettledDelivery[], batch: Batch): Promise<void> {
    const { queue, onSettled } = this.#options;
    for (;;) {
      try {
        return await queue.settle(settled, batch);
      } catch (error) {
        onSettled(error);
        if (!this.#stopping.signal.aborted) await setTimeout(LOOK_EVERY_MS, undefined, { ref: false });
        if (this.#stopping.signal.aborted) throw error;
      }
    }
  }

  async #look(): Promise<void> {
    const { queue } = this.#options;
    if (this.#clockSteps.sinceLastCall() < -STEPPED_BACK_MS) await queue.bringForward(this.#stopping.signal);
    const lease = this.startLease(LEAST_LEASE_MS);
    this.wake(await queue.claim(), lease, true);
  }

  async #renew(): Promise<void> {
    const active = [...this.#active];
    const lease = this.startLease();
    const renewed = new Set(await this.#options.queue.renew(active.map(([projectId]) => projectId)));
    for (const [projectId, queue] of active) {
      if (renewed.has(projectId)) queue.extend(lease);
      else queue.drop();
    }
  }

  #open(projectId: string, lease: Lease): ProjectQueue {
    const opened = new ProjectQueue(projectId, lease, {
      ...this.#options,
      slots: this.#slots,
      settle: async (settled) => {
        await this.#settling.add(settled);
        this.#options.onTried(settled.outcome);
      },
      onIdle: () => {
        if (this.#active.get(projectId) !== opened) return;
        this.#active.delete(projectId);
        this.#slots.idle(projectId);
      },
    });
    this.#active.set(projectId, opened);
    return opened;
  }
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

interface ProjectQueueOptions
  extends Pick<DelivererOptions, "queue" | "sender" | "book" | "log" | "random" | "onGone" | keyof Clocks> {
  readonly slots: DeliverySlots;
  settle(settled: SettledDelivery): Promise<void>;
  onIdle(): void;
}

/** Delivers the events of one project: many at a time, but those of one lane one after another. */
class ProjectQueue {
  readonly #projectId: string;
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
  #hasMoreAgain = false;
  #pumping: Promise<void> | undefined;
  #spareSlot: Slot | undefined;
  readonly #onSlot = (slot: Slot): void => {
    this.#spareSlot?.release();
    this.#spareSlot = slot;
    this.#pump();
  };
  #whenIdle: (() => void) | undefined;
  #lease: Lease;

  constructor(projectId: string, lease: Lease, options: ProjectQueueOptions) {
    this.#projectId = projectId;
    this.#lease = lease;
    this.#options = options;
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
      let webhook = await this.#webhook();
      if (!isOn(webhook)) {
        await this.#options.book.refresh();
        webhook = await this.#webhook();
      }
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
      this.#onError(error);
    } finally {
      this.#pumping = undefined;
      this.#spareSlot?.release();
      this.#spareSlot = undefined;
      if (this.#hasRoom && this.#shouldRead) this.#pump();
      else if (this.#inFlight === 0 && this.#waiting.length === 0) this.#options.onIdle();
    }
  }

  async #webhook(): Promise<Webhook | undefined> {
    return (await this.#options.book.find(this.#projectId))?.webhooks.event;
  }

  #onError(err: unknown): void {
    const fields = { err, project_id: this.#projectId };
    this.#options.log.error(fields, "a project's events cannot be delivered; trying again");
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
    const slot = this.#spareSlot ?? this.#options.slots.take(this.#projectId, this.#onSlot);
    this.#spareSlot = undefined;
    return slot;
  }

  async #read(): Promise<void> {
    const limit = this.#known.size + READ_AT_ONCE;
    const { queue } = this.#options;
    const readsAgain = this.#shouldReadAgain;
    // Set before reading: deliveries added during the read may be missing from its result.
    this.#hasMore = false;
    if (readsAgain) this.#hasMoreAgain = false;
    this.#endedMeanwhile.clear();
    const due = await queue.due(this.#projectId, limit);
    const again = readsAgain ? await queue.dueAgain(this.#projectId) : [];
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
    await this.#options.queue.lookAhead(this.#projectId);
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
      this.#onError(error);
    } finally {
      this.#inFlight -= 1;
      slot.release(answerMs);
      this.#known.delete(deliveryId);
      this.#endedMeanwhile.add(deliveryId);
      if (this.#inFlight === 0) this.#whenIdle?.();
      const everyMs = this.#isFailing ? RESEND_WHILE_FAILING_MS : RESEND_EVERY_MS;
      const restMs = lane === RESEND_LANE ? everyMs - (answerMs ?? 0) : 0;
      if (restMs > 0) void setTimeout(restMs).then(() => this.#free(lane));
      else this.#free(lane);
    }
  }

  #free(lane: string): void {
    this.#busyLanes.delete(lane);
    this.#pump();
  }

  async #giveUp(webhook: Webhook | undefined): Promise<void> {
    this.#drop();
    const why = webhook ? `is switched off: ${webhook.offReason}` : "was removed";
    await this.#options.queue.giveUp(this.#projectId, `The project's event address ${why}.`);
  }
}

function isOn(webhook: Webhook | undefined): webhook is Webhook {
  return webhook?.offAt === null;
}

/** The right to have one delivery in flight. */
export interface Slot {
  /** Must be called exactly once. Omit how long the receiver took if nothing was sent. */
  release(answerMs?: number): void;
}

// Long for a receiver, but short for the projects that wait behind it.
const SLOW_AFTER_MS = 1000;
// Less than half for slow receivers, as they hold their slots long.
const SLOW_SHARE = 0.4;
// A receiver that has not answered yet may hang.
const UNPROVEN_AT_ONCE = 2;

/** The slots shared by the projects with quick receivers, or by those with slow ones. */
class SlotPool {
  readonly size: number;
  /** Each project gets only its first slot of these. */
  readonly reserved: number;
  free: number;
  projects = 0;
  /** Projects that hold no slot and wait for one, in the order in which they are served. */
  readonly waiting = new Map<string, (slot: Slot) => void>();

  constructor(size: number, reserved: number) {
    this.size = size;
    this.reserved = reserved;
    this.free = size;
  }
}

interface ProjectSlots {
  /** The oldest first. */
  readonly held: Set<{ readonly pool: SlotPool; readonly since: number }>;
  /** The speed of its receiver's last answer; undefined if it has not answered since the project was idle. */
  last: "quick" | "slow" | undefined;
}

/** Limits the deliveries in flight: slow receivers have a pool of their own, and each project gets a fair share. */
export class DeliverySlots {
  readonly #quick: SlotPool;
  readonly #slow: SlotPool;
  readonly #now: () => number;
  /** Projects with something to deliver, and those whose receiver was slow at its last try. */
  readonly #projects = new Map<string, ProjectSlots>();

  constructor({ atOnce, now }: { atOnce: number; now: () => number }) {
    const slow = Math.max(1, Math.floor(atOnce * SLOW_SHARE));
    const quick = Math.max(1, atOnce - slow);
    // Receivers that have just begun to hang still hold quick slots, so half stays for each project's first slot.
    this.#quick = new SlotPool(quick, quick / 2);
    this.#slow = new SlotPool(slow, 0);
    this.#now = now;
  }

  /** Takes a slot if the project may have one now; if it holds none of its pool, it waits in line for `onSlot`. */
  take(projectId: string, onSlot: (slot: Slot) => void): Slot | undefined {
    const project = this.#projects.get(projectId) ?? { held: new Set(), last: undefined };
    this.#projects.set(projectId, project);
    const pool = this.#isSlow(project) ? this.#slow : this.#quick;
    const held = heldOf(project, pool);
    if (pool.free > 0 && (held === 0 || (held < this.#mostOf(project, pool) && pool.free > pool.reserved))) {
      pool.free -= 1;
      return this.#grant(project, pool);
    }
    if (held === 0) pool.waiting.set(projectId, onSlot);
    return undefined;
  }

  /** Removes a project that has nothing left to deliver, unless its receiver is slow. */
  idle(projectId: string): void {
    if (this.#projects.get(projectId)?.last !== "slow") this.#projects.delete(projectId);
  }

  #isSlow({ held, last }: ProjectSlots): boolean {
    const [oldest] = held;
    return last === "slow" || (oldest !== undefined && this.#now() - oldest.since > SLOW_AFTER_MS);
  }

  #mostOf({ last }: ProjectSlots, pool: SlotPool): number {
    if (pool === this.#quick && last === undefined) return UNPROVEN_AT_ONCE;
    return (pool.size - pool.reserved) / pool.projects;
  }

  #grant(project: ProjectSlots, pool: SlotPool): Slot {
    if (heldOf(project, pool) === 0) pool.projects += 1;
    const taken = { pool, since: this.#now() };
    project.held.add(taken);
    return {
      release: (answerMs) => {
        project.held.delete(taken);
        if (heldOf(project, pool) === 0) pool.projects -= 1;
        if (answerMs !== undefined) project.last = answerMs > SLOW_AFTER_MS ? "slow" : "quick";
        this.#passOn(pool);
      },
    };
  }

  #passOn(pool: SlotPool): void {
    for (const [projectId, onSlot] of pool.waiting) {
      pool.waiting.delete(projectId);
      const project = this.#projects.get(projectId);
      // The project may have become idle meanwhile.
      if (!project) continue;
      onSlot(this.#grant(project, pool));
      return;
    }
    pool.free += 1;
  }
}

function heldOf({ held }: ProjectSlots, pool: SlotPool): number {
  let count = 0;
  for (const one of held) if (one.pool === pool) count += 1;
  return count;
}
