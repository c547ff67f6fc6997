import { withIds } from "./messages.js";
import type { Team, Trigger, TriggerSource, User, View, ViewContent } from "./model.js";
import { Refusal } from "./refusal.js";
import { newSecret, type World } from "./world.js";

const TRIGGER_LIFETIME_MS = 3000;

/** A `trigger_id` for the action of a person. */
export function issueTrigger(world: World, source: TriggerSource): string {
  const digits = String(10_000_000_000 + world.triggers.size);
  const id = `${digits}.${Math.floor(world.now())}.${newSecret(32).toLowerCase()}`;
  world.triggers.set(id, { ...source, issuedAt: world.now(), isUsed: false });
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

/** Opens a modal, which replaces another. A modal on top of another (`views.push`) is not modelled. */
export function openView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = userOf(team, trigger);
  trigger.isUsed = true;
  const view = newView(world, user, content, trigger.channelId);
  user.modal = view;
  return shown(world, view);
}

/** @throws {Refusal} `hash_conflict` if the view has changed since the hash was issued; `not_found` if it was closed. */
export function updateView(world: World, team: Team, view: View, content: ViewContent, hash?: string): View {
  if (hash !== undefined && hash !== "" && hash !== view.hash) throw new Refusal("hash_conflict");
  const user = userOf(team, view);
  const changed: View = { ...view, ...versionOf(world, content) };
  if (view.type === "home") user.home = changed;
  else if (user.modal?.id !== view.id) throw new Refusal("not_found");
  else user.modal = changed;
  return shown(world, changed);
}

/** Shows a person the app's home. */
export function publishView(world: World, team: Team, user: User, content: ViewContent, hash?: string): View {
  if (user.home) return updateView(world, team, user.home, content, hash);
  user.home = newView(world, user, content, undefined);
  return shown(world, user.home);
}

function userOf({ users }: Team, { userId }: Pick<Trigger, "userId">): User {
  const user = users.get(userId);
  if (!user) throw new Refusal("user_not_found");
  return user;
}

function newView(world: World, user: User, content: ViewContent, channelId: string | undefined): View {
  const { id: userId, teamId } = user;
  return { id: world.newId("V"), teamId, userId, channelId, ...versionOf(world, content) };
}

function versionOf(world: World, content: ViewContent): ViewContent & Pick<View, "hash"> {
  const hash = `${Math.floor(world.now() / 1000)}.${newSecret(8)}`;
  return { ...content, hash, blocks: withIds(world, content.blocks) };
}

function shown(world: World, view: View): View {
  const { id, teamId, userId, type, title, callbackId, submit, blocks } = view;
  world.record({
    teamId,
    what: "shown",
    name: type === "home" ? "home" : "view",
    users: [userId],
    detail: { id, callback_id: callbackId, title, blocks, submit },
  });
  return view;
}

/** Closes a modal, if it is still open. */
export function closeModal(world: World, user: User, { id }: Pick<View, "id">): void {
  if (user.modal?.id !== id) return;
  const detail = { id, callback_id: user.modal.callbackId };
  user.modal = undefined;
  world.record({ teamId: user.teamId, what: "hidden", name: "view", users: [user.id], detail });
}

/** An open modal or a home. */
export function findView({ users }: Team, id: string): View | undefined {
  const views = [...users.values()].flatMap(({ modal, home }) => [modal, home]);
  return views.find((view) => view?.id === id);
}
