import type { Committer } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import {
  type Admission,
  apiKeyToTokenKey,
  decideAdmission,
  readUnverifiedToken,
  type TokenClaims,
  TokenInvalidError,
  type TokenKey,
  verifyToken,
} from "@media-ops/tokens";
import { LRUCache } from "lru-cache";
import type { AuthRequest } from "../generated/intake.js";
import { type ApiKey, type KeyRing, purposeOf } from "../keys/api-keys.js";
import { sortKey } from "../logs/log-store.js";
import type { Project } from "../projects/projects.js";
import type { Storage } from "../storage/open-storage.js";
import type { SeatAttempt, Seats } from "./seats.js";

interface GatekeeperOptions {
  readonly keys: KeyRing;
  readonly vault: Vault;
  readonly seats: Seats;
  readonly storage: Pick<Storage, "groupCommit">;
  now(): number;
  /** Called after each commit of decisions with its error, or undefined. */
  onSettled(error: unknown): void;
}

/** Whether a client may connect, and if not, the rule and the reason. The reason contains no secret. */
type AdmissionDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly rule: string; readonly reason: string };

// Enough for the keys in use; decrypting one again takes a fraction of a millisecond.
const MAX_KEYS = 10_000;

/** Admits clients by the rules of their access tokens. */
export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #decisions: Committer<SeatAttempt, Admission>;
  readonly #tokenKeys: LRUCache<string, TokenKey, ApiKey>;

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    const { storage, seats, vault, onSettled } = options;
    this.#decisions = storage.groupCommit({
      keyOf: ({ projectId }) => projectId,
      commit: (attempts) => seats.decide(attempts),
      onSettled,
    });
    this.#tokenKeys = new LRUCache({
      max: MAX_KEYS,
      fetchMethod: async (keyId, _, { context }) =>
        apiKeyToTokenKey(await vault.open(context.sealed, purposeOf(keyId))),
    });
  }

  /** Decides whether a client may connect. An admitted client holds a seat in the channel from then on. */
  async decide({ projectId, allowAnonymous }: Project, request: AuthRequest): Promise<AdmissionDecision> {
    const token = tokenIn(request.metadata) ?? tokenIn(request.auth_metadata);
    if (token === undefined && !allowAnonymous) {
      const reason = 'There is no access token. The client puts it into metadata: {"access_token": "<JWT>"}.';
      return { allowed: false, rule: "no-token", reason };
    }
    if (token !== undefined && typeof token !== "string") {
      return { allowed: false, rule: "bad-token", reason: "The access token must be a string that holds a JWT." };
    }
    const claims = token === undefined ? {} : await this.#verify(projectId, token);
    if (claims instanceof TokenInvalidError) return { allowed: false, rule: "bad-token", reason: claims.message };
    const attempt = toAttempt(projectId, claims, request);
    // A token that allows no connection is refused regardless of free seats, so the seats are not read.
    const ifEmpty = decideAdmission(
      claims,
      { channel_id: attempt.channelId, role: attempt.role, channel_connections: 0 },
      { project_id: projectId },
    );
    return ifEmpty.allowed ? this.#decisions.add(attempt) : ifEmpty;
  }

  /** Releases the seat of a client that the project's auth address refused. */
  release(projectId: string, { channel_id, connection_id }: AuthRequest): Promise<void> {
    return this.#options.seats.release({ projectId, channelId: channel_id, connectionId: connection_id });
  }

  /** The claims of a valid token, or the reason why it is invalid. */
  async #verify(projectId: string, token: string): Promise<TokenClaims | TokenInvalidError> {
    try {
      const { kid } = readUnverifiedToken(token);
      const candidates = await this.#keysFor(projectId, kid);
      const keys = candidates.map((key) => this.#tokenKeys.forceFetch(key.keyId, { context: key }));
      return (await verifyToken(token, await Promise.all(keys), { now: this.#options.now() })).claims;
    } catch (error) {
      if (error instanceof TokenInvalidError) return error;
      throw error;
    }
  }

  /** The keys that may have signed the token: the one that it names, or any of the project. */
  async #keysFor(projectId: string, kid: string | undefined): Promise<ApiKey[]> {
    const { keys } = this.#options;
    const candidates = () => keys.activeOf(projectId).filter(({ keyId }) => kid === undefined || keyId === kid);
    const found = candidates();
    if (found.length > 0) return found;
    // The key may be newer than the cached keys.
    await keys.refresh();
    return candidates();
  }
}

function toAttempt(projectId: string, claims: TokenClaims, request: AuthRequest): SeatAttempt {
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

function tokenIn(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null || !("access_token" in metadata)) return undefined;
  return metadata.access_token ?? undefined;
}
