import { Refusal } from "../web-api/refusal.js";
import type { ViewContent } from "../web-api/view-content.js";
import { withIds } from "./block-ids.js";
import type { Team, Trigger, User, View, World } from "./model.js";
import { newSecret } from "./world.js";

const STACK = 3;

/** Opens a modal, with nothing below it. */
export function openView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = userOf(team, trigger.userId);
  refuseTaken(team, content.externalId);
  trigger.isUsed = true;
  const view = newView(world, user, content, undefined);
  user.views = [view];
  return shown(world, view);
}

/** Lays a modal upon the one in which something was done. */
export function pushView(world: World, team: Team, trigger: Trigger, content: ViewContent): View {
  const user = userOf(team, trigger.userId);
  if (!user.views.some(({ id }) => id === trigger.viewId)) throw new Refusal("not_found");
  const view = pushOnto(world, team, user, content);
  trigger.isUsed = true;
  return view;
}

/** Lays a modal upon those that a person has open. */
export function pushOnto(world: World, team: Team, user: User, content: ViewContent): View {
  if (user.views.length >= STACK) throw new Refusal("push_limit_reached");
  refuseTaken(team, content.externalId);
  const view = newView(world, user, content, user.views.at(-1));
  user.views.push(view);
  return shown(world, view);
}

export function updateView(world: World, team: Team, view: View, content: ViewContent, hash?: string): View {
  refuseOtherHash(view, hash);
  refuseTaken(team, content.externalId, view);
  Object.assign(view, withIdsIn(world, content), { hash: newHash(world) });
  return shown(world, view);
}

/** Shows a person the home of the app. */
export function publishView(world: World, team: Team, user: User, content: ViewContent, hash?: string): View {
  if (user.home) return updateView(world, team, user.home, content, hash);
  refuseTaken(team, content.externalId);
  user.home = newView(world, user, content, undefined);
  return shown(world, user.home);
}

/** Takes away the top modal, or all of them. */
export function closeViews(world: World, user: User, { all = false } = {}): void {
  const closed = all ? user.views.splice(0) : user.views.splice(-1);
  for (const { id, callbackId } of closed) {
    world.tell({
      teamId: user.teamId,
      what: "hidden",
      name: "view",
      users: [user.id],
      detail: { id, callback_id: callbackId },
    });
  }
}

export function findView(team: Team, isIt: (view: View) => boolean): View | undefined {
  return viewsOf(team).find(isIt);
}

function viewsOf(team: Team): View[] {
  return [...team.users.values()].flatMap(({ views, home }) => (home ? [...views, home] : views));
}

function userOf(team: Team, id: string): User {
  const user = team.users.get(id);
  if (!user) throw new Refusal("user_not_found");
  return user;
}

function refuseTaken(team: Team, externalId: string, except?: View): void {
  if (externalId === "") return;
  if (viewsOf(team).some((view) => view.externalId === externalId && view !== except)) {
    throw new Refusal("duplicate_external_id");
  }
}

function refuseOtherHash(view: View, hash: string | undefined): void {
  if (hash !== undefined && hash !== "" && hash !== view.hash) throw new Refusal("hash_conflict");
}

function newView(world: World, user: User, content: ViewContent, previous: View | undefined): View {
  const id = world.newId("V");
  return {
    id,
    teamId: user.teamId,
    userId: user.id,
    rootId: previous?.rootId ?? id,
    previousId: previous?.id,
    hash: newHash(world),
    ...withIdsIn(world, content),
  };
}

function withIdsIn(world: World, content: ViewContent): ViewContent {
  return { ...content, blocks: withIds(world, content.blocks) };
}

function newHash(world: World): string {
  return `${Math.floor(world.now() / 1000)}.${newSecret(8)}`;
}

function shown(world: World, view: View): View {
  const { id, type, title, callbackId, blocks, submit } = view;
  world.tell({
    teamId: view.teamId,
    what: "shown",
    name: type === "home" ? "home" : "view",
    users: [view.userId],
    detail: { id, callback_id: callbackId, title, blocks, submit },
  });
  return view;
}
