import type { Committer } from "@media-ops/database";
import { type Admission, decideAdmission } from "@media-ops/tokens";
import type { AuthRequest } from "../generated/intake.js";
import { sortKey } from "../logs/log-store.js";
import type { Project } from "../projects/projects.js";
import type { Storage } from "../storage/open-storage.js";
import { findToken } from "./find-token.js";
import type { SeatAttempt, Seats } from "./seats.js";
import type { TokenCheck } from "./token-check.js";

/** Whether a client is let in, and if not, by which rule and why. */
export type Decision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly rule: string; readonly reason: string };

/** What a {@link Gatekeeper} works with. */
export interface GatekeeperOptions {
  readonly tokens: TokenCheck;
  readonly seats: Seats;
  readonly storage: Pick<Storage, "groupCommit">;
  /** Told after each commit of decisions: why it failed, or nothing. */
  onSettled(error: unknown): void;
}

/** Lets clients in by the rules of their tokens. */
export class Gatekeeper {
  readonly #tokens: TokenCheck;
  readonly #seats: Seats;
  readonly #decisions: Committer<SeatAttempt, Admission>;

  constructor({ tokens, seats, storage, onSettled }: GatekeeperOptions) {
    this.#tokens = tokens;
    this.#seats = seats;
    this.#decisions = storage.groupCommit({
      keyOf: ({ projectId }) => projectId,
      commit: (attempts) => seats.decide(attempts),
      onSettled,
    });
  }

  /** Decides; who is let in has a place in the channel from then on. */
  async decide({ projectId, allowAnonymous }: Project, request: AuthRequest): Promise<Decision> {
    const token = findToken(request);
    if (token === undefined && !allowAnonymous) {
      const reason = 'There is no access token. The client puts it into metadata: {"access_token": "<JWT>"}.';
      return { allowed: false, rule: "no-token", reason };
    }
    if (token !== undefined && typeof token !== "string") {
      return { allowed: false, rule: "bad-token", reason: "The access token is no text. It must be a JWT." };
    }
    const checked = token === undefined ? { claims: {} } : await this.#tokens.check(projectId, token);
    if ("reason" in checked) return { allowed: false, rule: "bad-token", reason: checked.reason };
    const attempt = toAttempt(projectId, checked.claims, request);
    // What no free place could change needs no look at the places.
    const atBest = decideAdmission(
      attempt.claims,
      { channel_id: attempt.channelId, role: attempt.role, channel_connections: 0 },
      { project_id: projectId },
    );
    return atBest.allowed ? this.#decisions.add(attempt) : atBest;
  }

  /** Takes back the place of a client that somebody else has refused. */
  release(projectId: string, { channel_id, connection_id }: AuthRequest): Promise<void> {
    return this.#seats.release({ projectId, channelId: channel_id, connectionId: connection_id });
  }
}

function toAttempt(projectId: string, claims: SeatAttempt["claims"], request: AuthRequest): SeatAttempt {
  const { channel_id, connection_id, role, node_name = "", timestamp, channel_connections } = request;
  return {
    projectId,
    claims,
    channelId: channel_id,
    connectionId: connection_id,
    role,
    nodeName: node_name,
    at: timestamp === undefined ? "" : sortKey(timestamp),
    reported: channel_connections,
  };
}
