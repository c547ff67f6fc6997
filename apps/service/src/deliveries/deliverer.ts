import { setTimeout } from "node:timers/promises";
import { GroupCommit } from "@media-ops/database";
import type { Logger } from "pino";
import { type Batch, batchNames } from "../logs/batch.js";
import { Health, logChange } from "../storage/health.js";
import type { Courier } from "../webhooks/courier.js";
import type { ProjectBook } from "../webhooks/project-book.js";
import type { Webhook } from "../webhooks/webhooks.js";
import { type DeliveryQueue, LEASE_MS, type Outcome, type Settled } from "./delivery-queue.js";
import { ProjectQueue } from "./project-queue.js";
import { Slots } from "./slots.js";

/** Options of {@link Deliverer}. */
export interface DelivererOptions {
  readonly queue: DeliveryQueue;
  readonly book: ProjectBook;
  readonly courier: Courier;
  readonly log: Logger;
  /** How many deliveries may be under way: each is a socket. */
  readonly atOnce: number;
  now(): number;
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

/** Delivers events to the projects' own addresses: those that came just now, and those that are due again. */
export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #active = new Map<string, ProjectQueue>();
  readonly #slots: Slots;
  readonly #settling: GroupCommit<Settled, void>;
  readonly #timers: readonly NodeJS.Timeout[];
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#slots = new Slots(options.atOnce);
    const { queue, log, onSettled } = options;
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
    this.#timers = [
      every(LOOK_EVERY_MS, () => this.#look()),
      every(RENEW_EVERY_MS, () => queue.renew([...this.#active.keys()])),
    ];
  }

  /** Something has come into the queues of these projects. */
  wake(projectIds: readonly string[]): void {
    if (this.#isStopped) return;
    for (const projectId of projectIds) {
      const active = this.#active.get(projectId) ?? this.#open(projectId);
      active.wake();
    }
  }

  /** Lets what is under way finish for a while; what is then left over stays in its queue. */
  async stop(): Promise<void> {
    this.#isStopped = true;
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
    this.wake(await this.#options.queue.claim());
  }

  #open(projectId: string): ProjectQueue {
    const { queue, book, courier, log, now, random = Math.random, onTried, onGone } = this.#options;
    const opened = new ProjectQueue({
      projectId,
      queue,
      courier,
      now,
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
      onIdle: () => void this.#active.delete(projectId),
      onError: (error) => log.error({ err: error, project_id: projectId }, "deliveries of a project are held up"),
    });
    this.#active.set(projectId, opened);
    return opened;
  }
}
