// Re-exported so that callers can handle a refusal without a dependency of their own.
export { type TokenClaims, type TokenInvalidCode, TokenInvalidError } from "@media-ops/tokens";
export {
  createTokenVerifier,
  type RevocationsClient,
  type TokenVerifier,
  type TokenVerifierOptions,
  type VerifiedAccessToken,
} from "./verifier.js";
