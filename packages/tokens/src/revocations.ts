import type { TokenClaims } from "./claims.js";
import { TokenUsageError } from "./errors.js";
import { channelIdFault, isJsonObject, toEpochSeconds } from "./formats.js";

/** What was revoked: one token (`jwt_id`), or the earlier tokens for a channel (`channel_id` and `issued_before`). */
export interface TokenRevocation {
  /** The token's `jti`. */
  readonly jwt_id?: string | undefined;
  readonly channel_id?: string | undefined;
  /** RFC 3339. The channel's tokens that were issued before are revoked. */
  readonly issued_before?: string | undefined;
  /** When it was revoked. It is not used to decide. */
  readonly revoked_at?: string | undefined;
  /** Who has revoked it. It is not used to decide. */
  readonly revoked_by?: string | undefined;
}

/** Revocations, ready to be looked up. Create it with {@link toRevocationList}. */
export class RevocationList {
  readonly #tokens = new Map<string, TokenRevocation>();
  readonly #channels = new Map<string, { readonly before: number; readonly revocation: TokenRevocation }>();

  constructor(revocations: Iterable<TokenRevocation>) {
    let index = 0;
    for (const revocation of revocations) {
      this.#add(revocation, index);
      index += 1;
    }
  }

  /** Whether nothing is revoked. */
  get isEmpty(): boolean {
    return this.#tokens.size === 0 && this.#channels.size === 0;
  }

  /**
   * The revocation that ends a token; undefined if there is none.
   *
   * @param channelId The channel that a client wants to enter, if it is known: a token for every channel may be revoked
   * in this one. A token for one channel is looked up by its own.
   */
  find({ jti, iat, channel_id }: TokenClaims, channelId?: string | undefined): TokenRevocation | undefined {
    const own = jti === undefined ? undefined : this.#tokens.get(jti.toLowerCase());
    if (own) return own;
    const entered = channel_id ?? channelId;
    const channel = entered === undefined ? undefined : this.#channels.get(entered);
    // A token that doesn't say when it was issued may be an old one.
    return channel && (iat === undefined || iat < channel.before) ? channel.revocation : undefined;
  }

  #add(revocation: TokenRevocation, index: number): void {
    const { jwt_id, channel_id, issued_before }: TokenRevocation = isJsonObject(revocation) ? revocation : {};
    if (typeof jwt_id === "string" && channel_id === undefined) {
      this.#tokens.set(jwt_id.toLowerCase(), revocation);
      return;
    }
    // Whole seconds, as in a token: one of the same second may have been issued before.
    const before = typeof issued_before === "string" ? toEpochSeconds(issued_before)?.up : undefined;
    if (jwt_id !== undefined || channel_id === undefined || channelIdFault(channel_id) || before === undefined) {
      throw new TokenUsageError(
        `revocations[${index}] must have either a jwt_id, or a channel_id and issued_before, an RFC 3339 time.`,
      );
    }
    const known = this.#channels.get(channel_id);
    if (!known || known.before < before) this.#channels.set(channel_id, { before, revocation });
  }
}

/**
 * Prepares revocations, such as those that the service lists, for {@link verifyToken} and {@link decideAdmission}.
 *
 * @example toRevocationList([{ jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11" }])
 * @throws {TokenUsageError} if one has neither of the two.
 */
export function toRevocationList(revocations: Iterable<TokenRevocation>): RevocationList {
  return new RevocationList(revocations);
}
