import type { AuthRequest } from "@media-ops/contract";
import type { Committer } from "@media-ops/database";
import {
  type Admission,
  type AdmissionRule,
  decideAdmission,
  type RefusedAdmission,
  type TokenClaims,
  type TokenRevocation,
} from "@media-ops/tokens";
import { sortKey } from "../logs/log-store.js";
import type { Project } from "../projects/projects.js";
import { redact } from "../secrets/redact.js";
import type { Storage } from "../storage/open-storage.js";
import type { TokenChecker, TokenNames } from "../tokens/token-checker.js";
import type { RefusedFacts } from "./refused-clients.js";
import type { SeatAttempt, Seats } from "./seats.js";

interface GatekeeperOptions {
  readonly checker: TokenChecker;
  readonly seats: Seats;
  readonly storage: Pick<Storage, "groupCommit">;
  onSettled(error: unknown): void;
}

/** A client that may not connect: the sentence for the media server, and the facts for the event log. */
interface Refused {
  readonly allowed: false;
  readonly reason: string;
  readonly facts: RefusedFacts;
}

type AdmissionDecision = { readonly allowed: true } | Refused;

/** Admits clients by the rules of their access tokens. */
export class Gatekeeper {
  readonly #options: GatekeeperOptions;
  readonly #decisions: Committer<SeatAttempt, Admission>;

  constructor(options: GatekeeperOptions) {
    this.#options = options;
    const { storage, seats, onSettled } = options;
    this.#decisions = storage.groupCommit({
      keyOf: ({ projectId }) => projectId,
      commit: (attempts) => seats.decide(attempts),
      onSettled,
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
    if (token === undefined) return this.#admit(toAttempt(projectId, {}, request), {});
    const checked = await this.#options.checker.check(projectId, token, request.channel_id);
    if (!checked.isValid) return { allowed: false, reason: checked.message, facts: checked.facts };
    const { claims, names, revocations } = checked;
    const attempt = toAttempt(projectId, claims, request);
    // A token that allows no connection is refused regardless of free seats, so the seats are not read.
    const ifEmpty = decideAdmission(
      claims,
      { channel_id: attempt.channelId, role: attempt.role, channel_connections: 0 },
      { project_id: projectId, revocations },
    );
    if (!ifEmpty.allowed) {
      const facts = { ...factsOf(ifEmpty, claims, revocations.find(claims, attempt.channelId)), ...names };
      return { allowed: false, reason: ifEmpty.reason, facts };
    }
    return this.#admit(attempt, names);
  }

  /** Checks again whether a token was revoked while its client waited. If so, the client's seat is released. */
  async confirm(projectId: string, request: AuthRequest): Promise<Refused | undefined> {
    const token = tokenOf(request);
    if (typeof token !== "string") return undefined;
    const revoked = await this.#options.checker.findRevocation(projectId, token, request.channel_id);
    if (!revoked) return undefined;
    await this.release(projectId, request);
    const { claims, names, revocation } = revoked;
    const facts = { ...factsOf({ rule: "revoked" }, claims, revocation), ...names };
    return { allowed: false, reason: "The token was revoked. Make a new one.", facts };
  }

  async #admit(attempt: SeatAttempt, names: TokenNames): Promise<AdmissionDecision> {
    const admission = await this.#decisions.add(attempt);
    if (admission.allowed) return admission;
    const facts = { ...factsOf(admission, attempt.claims, undefined), ...names };
    return { allowed: false, reason: admission.reason, facts };
  }

  /** The project whose key has signed a client's token, and the token's names; undefined unless the token is good. */
  async signerOf(request: AuthRequest): Promise<{ projectId: string; names: TokenNames } | undefined> {
    const token = tokenOf(request);
    return typeof token === "string" ? this.#options.checker.signerOf(token) : undefined;
  }

  /** Releases the seat of a client that the project's auth address refused. */
  release(projectId: string, { channel_id, connection_id }: AuthRequest): Promise<void> {
    return this.#options.seats.release({ projectId, channelId: channel_id, connectionId: connection_id });
  }
}

function toAttempt(projectId: string, claims: TokenClaims, request: AuthRequest): SeatAttempt {
  const { channel_id, connection_id, client_id, role, node_name = "", timestamp, channel_connections } = request;
  return {
    projectId,
    // The seat keeps the id, which the caller of the API may have chosen.
    claims: claims.jti === undefined ? claims : { ...claims, jti: redact(claims.jti) },
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
  // The token's key belongs to the channel's project, so only the channel can differ.
  "other-project": "wrong-channel",
  "other-channel": "wrong-channel",
  revoked: "revoked",
  "other-role": "wrong-role",
  "no-connections": "limit-0",
  "channel-full": "channel-full",
};

/** The facts of a refusal by a token's rules, which the check of a token shows as well. */
export function factsOf(
  { rule, seats }: Pick<RefusedAdmission, "rule" | "seats">,
  { channel_id, role }: TokenClaims,
  revocation: TokenRevocation | undefined,
): RefusedFacts {
  const reason = reasons[rule];
  if (revocation?.revoked_at !== undefined) return { reason, detail: `at ${revocation.revoked_at}` };
  if (seats) return { reason, detail: `${seats.taken} of ${seats.limit}` };
  if (rule === "other-channel" && channel_id !== undefined) return { reason, detail: channel_id };
  return rule === "other-role" ? { reason, detail: String(role) } : { reason };
}

const tokenOf = ({ metadata, auth_metadata }: AuthRequest): unknown => tokenIn(metadata) ?? tokenIn(auth_metadata);

function tokenIn(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null || !("access_token" in metadata)) return undefined;
  return metadata.access_token ?? undefined;
}
