// What is left out on purpose: the master key itself. Once a vault is open, nobody can ask it for its key.
export { createLog, type LogOptions } from "./create-log.js";
export {
  keyFileFault,
  MASTER_KEY_BYTES,
  MasterKeyError,
  type MasterKeySource,
  masterKeyFile,
  parseMasterKey,
  refuseLostDatabase,
} from "./master-key.js";
export { openExistingVault, openVault, type Setting, type VaultOptions } from "./open-vault.js";
export { redact, redactKeys } from "./redact.js";
export { redactBody } from "./redact-body.js";
export { createVault, type Vault } from "./vault.js";
