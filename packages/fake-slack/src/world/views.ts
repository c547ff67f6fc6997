import { Refusal } from "../refusal.js";
import { withIds } from "./messages.js";
import type { Team, Trigger, User, View, ViewContent } from "./model.js";
import { newSecret, type World } from "./world.js";

const TRIGGER_LIFETIME_MS = 3000;

/** A `trigger_id` for the action of a person. */
export function issueTrigger(world: World, teamId: string, userId: string): string {
  const digits = String(10_000_000_000 + world.triggers.size);
  const id = `${digits}.${Math.floor(world.now())}.${newSecret(32).toLowerCase()}`;
  world.triggers.set(id, { teamId, userId, issuedAt: world.now(), isUsed: false });
  return id;
}

/** @throws {Refusal} if the trigger is unknown, too old, or used. */
export function findTrigger(world: World, team: Team, id: unknown): Trigger {
  const trigger = typeof id === "string" ? world.triggers.get(id) : undefined;
  if (trigger?.teamId !== team.id) throw new Refusal("invalid_trigger_id");
  if (trigger.isUsed) throw new Refusal("exchanged_trigger_id");
  if (world.now() - trigger.issuedAt > TRIGGER_LIFETIME_MS) throw new Refusal("expired_trigger_id");
  return trigger;
}

/** Opens a modal, which replaces any other. */
export function openView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = team.users.get(trigger.userId);
  if (!user) throw new Refusal("user_not_found");
  trigger.isUsed = true;
  return show(world, user, { id: world.newId("V"), teamId: user.teamId, userId: user.id }, content);
}

/** @throws {Refusal} `hash_conflict` if the view has changed since the hash was issued. */
export function updateView(world: World, team: Team, view: View, content: ViewContent, hash?: string): View {
  if (hash !== undefined && hash !== "" && hash !== view.hash) throw new Refusal("hash_conflict");
  const user = team.users.get(view.userId);
  if (!user) throw new Refusal("user_not_found");
  return show(world, user, view, content);
}

/** Shows a person the app's home. */
export function publishView(world: World, team: Team, user: User, content: ViewContent, hash?: string): View {
  if (user.home) return updateView(world, team, user.home, content, hash);
  return show(world, user, { id: world.newId("V"), teamId: user.teamId, userId: user.id }, content);
}

function show(
  world: World,
  user: User,
  { id, teamId, userId }: Pick<View, "id" | "teamId" | "userId">,
  content: ViewContent,
): View {
  const blocks = withIds(world, content.blocks);
  const hash = `${Math.floor(world.now() / 1000)}.${newSecret(8)}`;
  const view: View = { ...content, id, teamId, userId, hash, blocks };
  const { type, title, callbackId, submit } = view;
  if (type === "home") user.home = view;
  else user.modal = view;
  world.record({
    teamId,
    what: "shown",
    name: type === "home" ? "home" : "view",
    users: [userId],
    detail: { id, callback_id: callbackId, title, blocks, submit },
  });
  return view;
}

/** Closes the modal, if there is one. */
export function closeModal(world: World, user: User): void {
  if (!user.modal) return;
  const { id, callbackId } = user.modal;
  user.modal = undefined;
  const detail = { id, callback_id: callbackId };
  world.record({ teamId: user.teamId, what: "hidden", name: "view", users: [user.id], detail });
}

/** An open modal or a home. */
export function findView({ users }: Team, id: string): View | undefined {
  for (const { modal, home } of users.values()) {
    if (modal?.id === id) return modal;
    if (home?.id === id) return home;
  }
  return undefined;
}
