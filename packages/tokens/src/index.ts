// What is left out on purpose: the rules one by one, the parts of a token, and how keys do their work, which are free to change.
export { type ChannelIdParts, splitChannelId } from "./channel-id.js";
export type { TokenClaims, TokenRole } from "./claims.js";
export { isDateTime } from "./date-time.js";
export {
  type Admission,
  type AdmissionRule,
  type ConnectionAttempt,
  type DecideAdmissionOptions,
  decideAdmission,
} from "./decide-admission.js";
export { type Ed25519ToTokenKeyOptions, ed25519ToTokenKey } from "./ed25519.js";
export {
  TokenError,
  type TokenErrorCode,
  type TokenInvalidCode,
  TokenInvalidError,
  TokenRequestError,
  type TokenRequestFault,
  TokenUsageError,
} from "./errors.js";
export { apiKeyToTokenKey, type TextToTokenKeyOptions, textToTokenKey } from "./hs256.js";
export { readUnverifiedToken, type UnverifiedToken } from "./read-unverified-token.js";
export { signToken } from "./sign-token.js";
export { type NewTokenClaims, type ToClaimsOptions, type TokenRequest, toClaims } from "./to-claims.js";
export type { TokenAlgorithm, TokenKey } from "./token-key.js";
export { isUuid } from "./uuid.js";
export { type VerifiedToken, type VerifyTokenOptions, verifyToken } from "./verify-token.js";
