import type { Committer } from "@media-ops/database";
import { type Admission, decideAdmission } from "@media-ops/tokens";
import type { AuthRequest } from "../generated/intake.js";
import { sortKey } from "../logs/log-store.js";
import type { Project } from "../projects/projects.js";
import type { Storage } from "../storage/open-storage.js";
import type { SeatAttempt, Seats } from "./seats.js";
import type { TokenCheck } from "./token-check.js";

/** Whether a client may connect, and if not, by which rule and why. */
export type AdmissionDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly rule: string; readonly reason: string };

/** Options of {@link Gatekeeper}. */
export interface GatekeeperOptions {
  readonly tokens: TokenCheck;
  readonly seats: Seats;
  readonly storage: Pick<Storage, "groupCommit">;
  /** Called after each commit of decisions with its error, or undefined. */
  onSettled(error: unknown): void;
}

/** Admits clients by the rules of their access tokens. */
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

  /** Decides whether a client may connect. An admitted client has a seat in the channel from then on. */
  async decide({ projectId, allowAnonymous }: Project, request: AuthRequest): Promise<AdmissionDecision> {
    const token = findToken(request);
    if (token === undefined && !allowAnonymous) {
      const reason = 'There is no access token. The client puts it into metadata: {"access_token": "<JWT>"}.';
      return { allowed: false, rule: "no-token", reason };
    }
    if (token !== undefined && typeof token !== "string") {
      return { allowed: false, rule: "bad-token", reason: "The access token must be a string that holds a JWT." };
    }
    const checked = token === undefined ? { claims: {} } : await this.#tokens.check(projectId, token);
    if ("reason" in checked) return { allowed: false, rule: "bad-token", reason: checked.reason };
    const attempt = toAttempt(projectId, checked.claims, request);
    // A refusal that no free seat could change needs no look at the seats.
    const ifEmpty = decideAdmission(
      attempt.claims,
      { channel_id: attempt.channelId, role: attempt.role, channel_connections: 0 },
      { project_id: projectId },
    );
    return ifEmpty.allowed ? this.#decisions.add(attempt) : ifEmpty;
  }

  /** Takes back the seat of a client that the project's auth address refused. */
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

/** Where a client may put its access token. */
interface TokenPlaces {
  readonly metadata?: unknown;
  readonly auth_metadata?: unknown;
}

function findToken({ metadata, auth_metadata }: TokenPlaces): unknown {
  return tokenIn(metadata) ?? tokenIn(auth_metadata);
}

function tokenIn(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null || !("access_token" in metadata)) return undefined;
  return metadata.access_token ?? undefined;
}
