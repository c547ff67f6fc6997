import { randomUUID } from "node:crypto";
import type { WebClient } from "@slack/web-api";
import type { BotParts } from "../request.js";
import { type Access, backgroundClient } from "../slack/access.js";
import type { Served } from "../slack/people.js";
import { Looker } from "../work/jobs.js";
import { TeamRun, USUAL_PACE, type WatchPace, type WatchParts } from "./run.js";
import { LEASE_MS, type WatchTeam } from "./watch-store.js";

/** What a keeper needs; the default pace suits people and services. */
interface KeeperParts extends Omit<WatchParts, "pace">, Pick<BotParts, "config"> {
  readonly access: Access;
  readonly pace?: WatchPace | undefined;
  postDigests(served: Served, slack: WebClient): Promise<void>;
}

interface Running {
  readonly run: TeamRun;
  readonly slack: WebClient;
  version: number;
  /** The digests that are being posted: a large project's take long, and the lease is renewed meanwhile. */
  digests: Promise<void> | undefined;
}

// Changes by people in other processes are seen within a second.
const LOOK_MS = 1000;
// Processes that start together share the workspaces.
const CLAIMED_AT_ONCE = 25;

/** Runs the watches of those workspaces that no other process runs. */
export class WatchKeeper {
  readonly #parts: KeeperParts;
  readonly #owner = randomUUID();
  readonly #runs = new Map<string, Running>();
  readonly #looker: Looker;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#looker = new Looker(
      () => this.#look(),
      LOOK_MS,
      (err) => parts.log.warn({ err }, "failed to look for the watches to run"),
    );
    parts.watches.events.on("change", () => this.#looker.start());
  }

  /** Resolves once the watches that this process runs have seen what was logged before now, and Slack shows it. */
  async settled(): Promise<void> {
    await this.#looker.settled();
    await Promise.all([...this.#runs.values()].flatMap(({ run, digests }) => [run.settled(), digests]));
  }

  async stop(): Promise<void> {
    await this.#looker.stop();
    await Promise.all([...this.#runs.values()].flatMap(({ run, digests }) => [run.stop(), digests]));
    this.#runs.clear();
    await this.#parts.watches.release(this.#owner).catch((err: unknown) => {
      this.#parts.log.warn({ err }, "failed to give watches back; another process takes them over soon");
    });
  }

  async #look(): Promise<void> {
    const { watches, log } = this.#parts;
    const teams = await watches.teams();
    const faults: unknown[] = [];
    let claims = CLAIMED_AT_ONCE;
    for (const team of teams) {
      if (this.#looker.isStopped) return;
      const { teamId } = team.served;
      // One workspace's tables may be unreachable while those of others are not.
      const onFault = (error: unknown): void => void faults.push(error);
      const running = this.#runs.get(teamId);
      if (team.owner === this.#owner) await this.#goOn(team).catch(onFault);
      else if (running) await this.#lose(teamId).catch(onFault);
      else if (claims > 0 && this.#isFree(team)) {
        claims -= 1;
        await this.#claim(team).catch(onFault);
      }
    }
    if (faults.length > 0) {
      log.warn({ err: faults[0], workspaces: faults.length }, "failed to run the watches of some workspaces for now");
    }
    const known = new Set(teams.map(({ served }) => served.teamId));
    for (const teamId of [...this.#runs.keys()]) if (!known.has(teamId)) await this.#lose(teamId);
  }

  /** Whether a workspace's lease is over, or from a clock that was ahead. */
  #isFree({ owner, until = 0 }: WatchTeam): boolean {
    const left = until - this.#parts.now();
    return owner === undefined || left <= 0 || left > 2 * LEASE_MS;
  }

  async #claim(team: WatchTeam): Promise<void> {
    if (await this.#parts.watches.claim(team.served.teamId, this.#owner, team)) await this.#begin(team);
  }

  async #goOn(team: WatchTeam): Promise<void> {
    const { watches, now, postDigests, log } = this.#parts;
    const { teamId } = team.served;
    const running = this.#runs.get(teamId);
    if (!running) return this.#begin(team);
    const isDue = (team.until ?? 0) - now() < LEASE_MS / 2;
    if (isDue && !(await watches.renew(teamId, this.#owner))) return this.#lose(teamId);
    if (running.version !== team.version) {
      await running.run.reload();
      running.version = team.version;
    }
    running.digests ??= postDigests(team.served, running.slack)
      .catch((err: unknown) => log.warn({ err, teamId }, "failed to post digests; they are tried again"))
      .finally(() => {
        running.digests = undefined;
      });
  }

  async #begin({ served, version }: WatchTeam): Promise<void> {
    const { config, access, log, pace = USUAL_PACE } = this.#parts;
    const { teamId } = served;
    const slack = await backgroundClient(access, served, { config, log });
    if (!slack) return;
    const onLost = () => void this.#lose(teamId);
    const run = new TeamRun({ ...this.#parts, pace }, { served, slack, owner: this.#owner, onLost });
    await run.start();
    this.#runs.set(teamId, { run, slack, version, digests: undefined });
  }

  async #lose(teamId: string): Promise<void> {
    const running = this.#runs.get(teamId);
    this.#runs.delete(teamId);
    await running?.run.stop();
  }
}
