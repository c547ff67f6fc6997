import { setTimeout } from "node:timers/promises";
import { GroupCommit } from "@media-ops/database";
import type { Logger } from "pino";
import type { Clocks } from "../config/surroundings.js";
import { Health, logChange } from "../health.js";
import { type Batch, batchNames } from "../logs/log-store.js";
import type { Courier } from "../webhooks/courier.js";
import type { ProjectBook } from "../webhooks/project-book.js";
import type { Webhook } from "../webhooks/webhooks.js";
import { type DeliveryQueue, LEASE_MS, LEAST_LEASE_MS, type Outcome, type Settled } from "./delivery-queue.js";
import { type Lease, startLease } from "./lease.js";
import { ProjectQueue, type ProjectQueueOptions } from "./project-queue.js";
import { Slots } from "./slots.js";

/** Options of {@link Deliverer}. */
export interface DelivererOptions extends Clocks {
  readonly queue: DeliveryQueue;
  readonly book: ProjectBook;
  readonly courier: Courier;
  readonly log: Logger;
  /** How many deliveries may be under way: each is a socket. */
  readonly atOnce: number;
  /** From 0 to 1. @default Math.random */
  random?(): number;
  /** Told of the outcome of each try. */
  onTried(outcome: Outcome): void;
  /** Told that a receiver wants no more. */
  onGone(webhook: Webhook): Promise<void>;
  /** Told after each commit of outcomes: why it failed, or nothing. */
  onSettled(error: unknown): void;
}

// How late a retry may be.
const LOOK_EVERY_MS = 1000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const STOP_MS = 2000;
// Less is what clocks are corrected by all the time.
const STEPPED_BACK_MS = 2000;

/** Delivers events to the projects' own addresses: those that came just now, and those that are due again. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #active = new Map<string, ProjectQueue>();
  readonly #slots: Slots;
  readonly #settling: GroupCommit<Settled, void>;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** By how much the wall clock is ahead of the clock that nobody sets. */
  #ahead: number;

  constructor(options: DelivererOptions) {
    this.#options = options;
    const { atOnce, log, onSettled, now, elapsed } = options;
    this.#slots = new Slots({ atOnce, now: () => performance.now() });
    this.#ahead = now() - elapsed();
    const nextBatch = batchNames();
    this.#settling = new GroupCommit({
      commit: async (settled) => {
        await this.#settle(settled, nextBatch());
        return settled.map(() => undefined);
      },
      onSettled,
    });
    const health = new Health(logChange(log, "deliveries are held up", "deliveries go on"));
    const every = (ms: number, work: () => Promise<void>) =>
      setInterval(() => {
        this.#looking = this.#looking.then(() => health.try(work));
      }, ms).unref();
    this.#timers = [every(LOOK_EVERY_MS, () => this.#look()), every(RENEW_EVERY_MS, () => this.#renew())];
  }

  /** Something has come into the queues of these projects, which this process owns as long as the lease lasts. */
  wake(projectIds: readonly string[], lease: Lease): void {
    if (this.#isStopped) return;
    for (const projectId of projectIds) {
      const active = this.#active.get(projectId) ?? this.#open(projectId, lease);
      active.wake(lease);
    }
  }

  /** Lets what is under way finish for a while; what is then left over stays in its queue. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#looking;
    const idle = Promise.all([...this.#active.values()].map((active) => active.stop()));
    await Promise.race([idle, setTimeout(STOP_MS, undefined, { ref: false })]);
    await this.#settling.settled();
    const { queue, log } = this.#options;
    // Not given away, they are free a little later.
    await queue.release().catch((error) => log.warn({ err: error }, "the delivery queues could not be given away"));
  }

  /** Tries until it is written: otherwise it would be delivered over and over. */
  async #settle(settled: readonly Settled[], batch: Batch): Promise<void> {
    const { queue, onSettled } = this.#options;
    for (;;) {
      try {
        return await queue.settle(settled, batch);
      } catch (error) {
        onSettled(error);
        if (!this.#isStopped) await setTimeout(LOOK_EVERY_MS, undefined, { ref: false });
        if (this.#isStopped) throw error;
      }
    }
  }

  async #look(): Promise<void> {
    const { queue, now, elapsed } = this.#options;
    const ahead = now() - elapsed();
    if (ahead < this.#ahead - STEPPED_BACK_MS) await queue.bringForward(this.#stopping.signal);
    this.#ahead = ahead;
    const lease = startLease(this.#options, LEAST_LEASE_MS);
    this.wake(await queue.claim(), lease);
  }

  async #renew(): Promise<void> {
    const active = [...this.#active];
    const lease = startLease(this.#options, LEASE_MS);
    const renewed = new Set(await this.#options.queue.renew(active.map(([projectId]) => projectId)));
    for (const [projectId, queue] of active) {
      if (renewed.has(projectId)) queue.hold(lease);
      else queue.drop();
    }
  }

  #open(projectId: string, lease: Lease): ProjectQueue {
    const { queue, book, courier, log, now, elapsed, random = Math.random, onTried, onGone } = this.#options;
    const options: ProjectQueueOptions = {
      projectId,
      queue,
      courier,
      now,
      elapsed,
      random,
      async webhook(how) {
        if (how === "anew") await book.refresh();
        return (await book.find(projectId))?.webhooks.event;
      },
      slots: this.#slots,
      settle: async (settled) => {
        await this.#settling.add(settled);
        onTried(settled.outcome);
      },
      onGone,
      onIdle: () => {
        if (this.#active.get(projectId) !== opened) return;
        this.#active.delete(projectId);
        this.#slots.idle(projectId);
      },
      onError: (error) => log.error({ err: error, project_id: projectId }, "deliveries of a project are held up"),
    };
    const opened = new ProjectQueue(options, lease);
    this.#active.set(projectId, opened);
    return opened;
  }
}
