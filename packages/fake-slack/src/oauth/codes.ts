import { perWorld } from "../delivery/per-world.js";
import { Refusal } from "../web-api/refusal.js";
import type { World } from "../world/model.js";
import { newSecret } from "../world/world.js";

/** What a person has allowed. */
export interface Grant {
  readonly teamId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  /** As the app named it when it sent her here; it has to name it again. */
  readonly redirectUri: string | undefined;
}

interface Issued extends Grant {
  readonly issuedAt: number;
  isUsed: boolean;
}

const LIFETIME_MS = 10 * 60_000;

const issuedBy = perWorld(() => new Map<string, Issued>());

/** The code with which the app fetches its token. */
export function issueCode(world: World, grant: Grant): string {
  const code = newSecret(32);
  issuedBy(world).set(code, { ...grant, issuedAt: world.now(), isUsed: false });
  return code;
}

/**
 * What the code stands for; it does so once.
 *
 * @throws {Refusal} where it is none, or is not any more.
 */
export function redeemCode(world: World, code: unknown, redirectUri: unknown): Grant {
  const issued = typeof code === "string" ? issuedBy(world).get(code) : undefined;
  if (issued === undefined || world.now() - issued.issuedAt > LIFETIME_MS) throw new Refusal("invalid_code");
  if (issued.isUsed) throw new Refusal("code_already_used");
  const given = redirectUri === "" ? undefined : redirectUri;
  if (given !== issued.redirectUri) throw new Refusal("bad_redirect_uri");
  issued.isUsed = true;
  return issued;
}
