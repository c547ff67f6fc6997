// The single rules, the parts of a token, and the operations of keys are internal on purpose: they may change.

export {
  type NewTokenClaims,
  type ToClaimsOptions,
  type TokenClaims,
  type TokenRequest,
  type TokenRole,
  toClaims,
} from "./claims.js";
export {
  type Admission,
  type AdmissionRule,
  type ConnectionAttempt,
  type DecideAdmissionOptions,
  decideAdmission,
  type RefusedAdmission,
} from "./decide-admission.js";
export {
  type Ed25519PrivateJwk,
  type Ed25519PublicJwk,
  type Ed25519ToTokenKeyOptions,
  ed25519ToTokenKey,
  generateEd25519Jwk,
  jwksToTokenKeys,
} from "./ed25519.js";
export {
  TokenError,
  type TokenErrorCode,
  type TokenInvalidCode,
  TokenInvalidError,
  TokenRequestError,
  type TokenRequestFault,
  TokenUsageError,
} from "./errors.js";
export { type ChannelIdParts, isDateTime, isUuid, splitChannelId } from "./formats.js";
export { apiKeyToTokenKey, type TextToTokenKeyOptions, textToTokenKey } from "./hs256.js";
export { type RevocationList, type TokenRevocation, toRevocationList } from "./revocations.js";
export {
  readKeyId,
  readUnverifiedToken,
  signToken,
  type UnverifiedToken,
  type VerifiedToken,
  type VerifyTokenOptions,
  verifyToken,
} from "./sign-and-verify.js";
export type { TokenAlgorithm, TokenKey } from "./token-key.js";
