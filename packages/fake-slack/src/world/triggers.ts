import { Refusal } from "../web-api/refusal.js";
import type { Team, Trigger, World } from "./model.js";
import { newSecret } from "./world.js";

const LIFETIME_MS = 3000;

export function issueTrigger(world: World, teamId: string, userId: string, viewId?: string): string {
  const digits = String(10_000_000_000 + world.triggers.size);
  const id = `${digits}.${Math.floor(world.now())}.${newSecret(32).toLowerCase()}`;
  world.triggers.set(id, { teamId, userId, viewId, issuedAt: world.now(), isUsed: false });
  return id;
}

/**
 * What a person did that lets the app open a view now.
 *
 * @throws {Refusal} where it is too late, or another view was opened for it.
 */
export function findTrigger(world: World, team: Team, id: unknown): Trigger {
  const trigger = typeof id === "string" ? world.triggers.get(id) : undefined;
  if (trigger?.teamId !== team.id) throw new Refusal("invalid_trigger_id");
  if (trigger.isUsed) throw new Refusal("exchanged_trigger_id");
  if (world.now() - trigger.issuedAt > LIFETIME_MS) throw new Refusal("expired_trigger_id");
  return trigger;
}
