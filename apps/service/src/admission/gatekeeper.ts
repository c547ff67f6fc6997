import type { Committer } from "@media-ops/database";
import type { Vault } from "@media-ops/secrets";
import {
  type Admission,
  type AdmissionRule,
  apiKeyToTokenKey,
  decideAdmission,
  type RefusedAdmission,
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
import type { RefusedFacts } from "./refused-clients.js";
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

/** A client that may not connect: the sentence for the media server, and the facts for the event log. */
interface Refused {
  readonly allowed: false;
  readonly reason: string;
  readonly facts: RefusedFacts;
}

/** Whether a client may connect, and if not, why. */
type AdmissionDecision = { readonly allowed: true } | Refused;

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
    const token = tokenOf(request);
    if (token === undefined && !allowAnonymous) {
      const reason = 'There is no access token. The client puts it into metadata: {"access_token": "<JWT>"}.';
      return { allowed: false, reason, facts: { reason: "no-token" } };
    }
    if (token !== undefined && typeof token !== "string") {
      const reason = "The access token must be a string that holds a JWT.";
      return { allowed: false, reason, facts: { reason: "malformed" } };
    }
    const claims = token === undefined ? {} : await this.#verify(projectId, token);
    if (claims instanceof TokenInvalidError) {
      const { message: reason } = claims;
      const names = namesIn(token);
      return { allowed: false, reason, facts: { ...this.#factsOf(claims, projectId, token, names), ...names } };
    }
    const attempt = toAttempt(projectId, claims, request);
    // A token that allows no connection is refused regardless of free seats, so the seats are not read.
    const ifEmpty = decideAdmission(
      claims,
      { channel_id: attempt.channelId, role: attempt.role, channel_connections: 0 },
      { project_id: projectId },
    );
    const admission = ifEmpty.allowed ? await this.#decisions.add(attempt) : ifEmpty;
    if (admission.allowed) return admission;
    return { allowed: false, reason: admission.reason, facts: { ...factsOf(admission, claims), ...namesIn(token) } };
  }

  /**
   * The project whose key has signed a client's token, and the names of the token; undefined unless the token is good.
   */
  async signerOf(request: AuthRequest): Promise<{ projectId: string; names: TokenNames } | undefined> {
    const token = tokenOf(request);
    if (typeof token !== "string") return undefined;
    const { keys } = this.#options;
    const names = namesIn(token);
    if (names.key_id === undefined) return undefined;
    if (!keys.find(names.key_id)) await keys.refreshSoon();
    const key = keys.find(names.key_id);
    if (!key || (await this.#verify(key.projectId, token)) instanceof TokenInvalidError) return undefined;
    return { projectId: key.projectId, names };
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

  #factsOf(
    { code }: TokenInvalidError,
    projectId: string,
    token: string | undefined,
    { key_id }: TokenNames,
  ): RefusedFacts {
    if (token === undefined) return { reason: code };
    if (code === "unknown-key" && key_id !== undefined) {
      const key = this.#options.keys.find(key_id);
      if (key?.projectId === projectId && key.revokedAt !== null) {
        return { reason: "revoked-key", detail: `at ${key.revokedAt}` };
      }
    }
    // Only these two say that the signature is right, and the claims can be believed.
    const { exp, nbf } = code === "expired" || code === "not-yet-valid" ? readUnverifiedToken(token).claims : {};
    if (code === "expired" && exp !== undefined) return { reason: code, detail: `at ${timeOf(exp)}` };
    if (code === "not-yet-valid" && nbf !== undefined) return { reason: code, detail: `from ${timeOf(nbf)}` };
    return { reason: code };
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
  const { channel_id, connection_id, client_id, role, node_name = "", timestamp, channel_connections } = request;
  return {
    projectId,
    claims,
    channelId: channel_id,
    connectionId: connection_id,
    clientId: client_id === connection_id ? undefined : client_id,
    role,
    nodeName: node_name,
    at: timestamp === undefined ? "" : sortKey(timestamp),
    reported: channel_connections,
  };
}

const reasons: Readonly<Record<AdmissionRule, RefusedFacts["reason"]>> = {
  // The key of the token is one of the channel's project, so that no other rule is left.
  "other-project": "wrong-channel",
  "other-channel": "wrong-channel",
  "other-role": "wrong-role",
  "no-connections": "limit-0",
  "channel-full": "channel-full",
};

function factsOf({ rule, seats }: RefusedAdmission, { channel_id, role }: TokenClaims): RefusedFacts {
  const reason = reasons[rule];
  if (seats) return { reason, detail: `${seats.taken} of ${seats.limit}` };
  if (rule === "other-channel" && channel_id !== undefined) return { reason, detail: channel_id };
  return rule === "other-role" ? { reason, detail: String(role) } : { reason };
}

/** The ids of a token and of its key, as the token has them. They may be forged. */
type TokenNames = Pick<RefusedFacts, "jwt_id" | "key_id">;

// The contract's limit.
const MAX_NAME = 255;

function namesIn(token: string | undefined): TokenNames {
  if (token === undefined) return {};
  try {
    const { kid, claims } = readUnverifiedToken(token);
    return {
      ...(claims.jti !== undefined && { jwt_id: claims.jti.slice(0, MAX_NAME) }),
      ...(kid !== undefined && { key_id: kid.slice(0, MAX_NAME) }),
    };
  } catch {
    return {};
  }
}

/** A time of a token as text; far beyond what a date can have, its seconds. */
function timeOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(".000Z", "Z");
}

const tokenOf = ({ metadata, auth_metadata }: AuthRequest): unknown => tokenIn(metadata) ?? tokenIn(auth_metadata);

function tokenIn(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null || !("access_token" in metadata)) return undefined;
  return metadata.access_token ?? undefined;
}
