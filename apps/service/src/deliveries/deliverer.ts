import { setTimeout } from "node:timers/promises";
import type { Committer } from "@media-ops/database";
import type { Logger } from "pino";
import { ClockSteps } from "../config/surroundings.js";
import { Health, logChange } from "../health.js";
import { type Batch, batchNames } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { ProjectBook } from "../webhooks/project-book.js";
import type { DeliveryOutcome, SettledDelivery } from "./delivery.js";
import { LEASE_MS, LEAST_LEASE_MS } from "./delivery-queue.js";
import { type DeliveryTools, type Lease, ProjectQueue, type ProjectQueueOptions } from "./project-queue.js";
import { DeliverySlots } from "./slots.js";

/** Options of {@link Deliverer}. */
export interface DelivererOptions extends DeliveryTools {
  readonly storage: Pick<Storage, "groupCommit">;
  readonly book: ProjectBook;
  readonly log: Logger;
  /** The maximum number of deliveries in flight: each needs a socket. */
  readonly atOnce: number;
  onTried(outcome: DeliveryOutcome): void;
  onSettled(error: unknown): void;
}

// A retry may be this late.
const LOOK_EVERY_MS = 1000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const STOP_MS = 2000;
// NTP corrects clocks by less than this all the time.
const STEPPED_BACK_MS = 2000;

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

  /**
   * Starts deliveries of projects whose queues this process owns while the lease lasts. With `isPoll`, others may have
   * added some.
   */
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
    const { book, log, onTried } = this.#options;
    const options: ProjectQueueOptions = {
      ...this.#options,
      projectId,
      slots: this.#slots,
      async webhook(from) {
        if (from === "database") await book.refresh();
        return (await book.find(projectId))?.webhooks.event;
      },
      settle: async (settled) => {
        await this.#settling.add(settled);
        onTried(settled.outcome);
      },
      onIdle: () => {
        if (this.#active.get(projectId) !== opened) return;
        this.#active.delete(projectId);
        this.#slots.idle(projectId);
      },
      onError: (error) =>
        log.error({ err: error, project_id: projectId }, "a project's events cannot be delivered; trying again"),
    };
    const opened = new ProjectQueue(options, lease);
    this.#active.set(projectId, opened);
    return opened;
  }
}
