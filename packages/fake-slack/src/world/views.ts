import { Refusal } from "../http.js";
import { withIds } from "./messages.js";
import type { Team, Trigger, TriggerSource, User, View, ViewContent } from "./model.js";
import { newSecret, type World } from "./world.js";

const TRIGGER_LIFETIME_MS = 3000;
const MAX_MODALS = 3;

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

/** Opens a modal, which replaces any others. */
export function openView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = userOf(team, trigger);
  trigger.isUsed = true;
  const view = newView(world, user, content, trigger.channelId);
  user.modals.splice(0, user.modals.length, view);
  return shown(world, view);
}

/** @throws {Refusal} if the trigger is not from a modal that is open, or there are too many. */
export function pushView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = userOf(team, trigger);
  const below = user.modals.find(({ id }) => id === trigger.viewId);
  if (!below) throw new Refusal("not_found");
  const view = stackView(world, user, below, content);
  trigger.isUsed = true;
  return view;
}

/**
 * Opens a modal on top of the others.
 *
 * @throws {Refusal} `push_limit_reached`
 */
export function stackView(world: World, user: User, below: View, content: ViewContent): View {
  if (user.modals.length >= MAX_MODALS) throw new Refusal("push_limit_reached");
  const view = newView(world, user, content, below.channelId);
  user.modals.push(view);
  return shown(world, view);
}

/** @throws {Refusal} `hash_conflict` if the view has changed since the hash was issued; `not_found` if it was closed. */
export function updateView(world: World, team: Team, view: View, content: ViewContent, hash?: string): View {
  if (hash !== undefined && hash !== "" && hash !== view.hash) throw new Refusal("hash_conflict");
  const user = userOf(team, view);
  const changed: View = { ...view, ...versionOf(world, content) };
  const index = user.modals.findIndex(({ id }) => id === view.id);
  if (view.type === "home") user.home = changed;
  else if (index === -1) throw new Refusal("not_found");
  else user.modals[index] = changed;
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

/** Closes a modal, if it is still open; the one below it is visible again. */
export function closeModal(world: World, user: User, { id }: Pick<View, "id">): void {
  const index = user.modals.findIndex((modal) => modal.id === id);
  const [closed] = index === -1 ? [] : user.modals.splice(index, 1);
  if (!closed) return;
  const detail = { id, callback_id: closed.callbackId };
  world.record({ teamId: user.teamId, what: "hidden", name: "view", users: [user.id], detail });
}

/** Closes all modals. */
export function closeModals(world: World, user: User): void {
  for (const modal of [...user.modals].reverse()) closeModal(world, user, modal);
}

/** An open modal or a home. */
export function findView({ users }: Team, id: string): View | undefined {
  for (const { modals, home } of users.values()) {
    const found = [...modals, home].find((view) => view?.id === id);
    if (found) return found;
  }
  return undefined;
}
