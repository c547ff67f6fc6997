import { fieldOf } from "../block-kit/json.js";
import { type Answered, deliver } from "../delivery/deliver.js";
import type { OutgoingDelivery } from "../delivery/outgoing.js";
import type { Channel, Json, Message, Team, User, View, World } from "../world/model.js";
import { actionIdOf, blockIdOf, elementsIn, type FoundElement } from "./elements.js";
import { hasState, initialState } from "./entering.js";
import type { MessageReference, ViewReference } from "./seen.js";

/** What became of something that a person did: what the app answered, or what Slack shows instead. */
export type Delivery = Answered;

/** Nothing was sent, as nothing had to be. */
export const NOTHING_SENT: Delivery = {
  status: 0,
  body: undefined,
  tries: 0,
  acknowledgedInMs: 0,
  shownError: undefined,
};

/** A person before her Slack: who she is, and what only her own window knows. */
export interface Seat {
  readonly world: World;
  readonly team: Team;
  readonly user: User;
  /** What she has entered or chosen and not sent yet, by `stateKey`. */
  readonly entered: Map<string, Json>;
  /** What the app found wrong, by the view's id. */
  readonly errors: Map<string, Readonly<Record<string, string>>>;
}

/** What a person can act in. */
export type Target =
  | { readonly kind: "message"; readonly key: string; readonly channel: Channel; readonly message: Message }
  | { readonly kind: "view"; readonly key: string; readonly view: View };

export function send(seat: Seat, kind: OutgoingDelivery["kind"], payload: Json): Promise<Delivery> {
  if (!seat.team.installation) throw new Error(`The app is not installed in ${seat.team.name}.`);
  return deliver(seat.world, { kind, teamId: seat.team.id, payload });
}

/** Whether the app has acknowledged it. */
export function isTaken({ status }: Delivery): boolean {
  return status >= 200 && status < 300;
}

export function sees({ user }: Seat, channel: Channel, { onlyFor }: Message): boolean {
  return onlyFor === undefined ? channel.members.has(user.id) : onlyFor === user.id;
}

/**
 * What stands there now where a person saw something.
 *
 * @throws {Error} where she does not see it, or does not any more.
 */
export function targetOf(seat: Seat, seen: MessageReference | ViewReference): Target {
  return "id" in seen ? viewTarget(seat, seen) : messageTarget(seat, seen);
}

/** The message as it stands there now, where she sees it. */
export function messageSeen(seat: Seat, { channelId, ts }: MessageReference): Message | undefined {
  const channel = seat.team.channels.get(channelId);
  return channel?.messages.find((candidate) => candidate.ts === ts && sees(seat, channel, candidate));
}

function messageTarget(seat: Seat, reference: MessageReference): Target {
  const { channelId, ts } = reference;
  const channel = seat.team.channels.get(channelId);
  const message = messageSeen(seat, reference);
  if (!channel || !message) throw new Error(`${seat.user.name} does not see the message ${ts}.`);
  return { kind: "message", key: `${channelId} ${ts}`, channel, message };
}

function viewTarget({ user }: Seat, seen: ViewReference): Target {
  const view = [user.views.at(-1), user.home].find((candidate) => candidate?.id === seen.id);
  const name = "title" in seen ? `"${String(seen.title)}"` : seen.id;
  if (!view) throw new Error(`${user.name} does not see the view ${name}.`);
  return { kind: "view", key: view.id, view };
}

export function blocksOf(target: Target): readonly Json[] {
  return target.kind === "message" ? target.message.blocks : target.view.blocks;
}

export function stateKey({ key }: Target, found: FoundElement): string {
  return JSON.stringify([key, blockIdOf(found), actionIdOf(found)]);
}

export function stateOf({ entered }: Seat, target: Target, found: FoundElement): Json {
  const known = entered.get(stateKey(target, found));
  // Another element may have come into its place since.
  return known && known.type === found.element.type ? known : initialState(found.element);
}

/** All that is entered, as Slack tells it: by block, by element. */
export function stateValues(seat: Seat, target: Target): Json {
  const values: Record<string, Record<string, Json>> = {};
  for (const found of elementsIn(blocksOf(target))) {
    if (!hasState(found.element)) continue;
    const blockId = blockIdOf(found);
    values[blockId] = { ...values[blockId], [actionIdOf(found)]: stateOf(seat, target, found) };
  }
  return values;
}

/** What stands over an input. */
export function inputLabel({ block }: FoundElement): unknown {
  return fieldOf(block.label, "text");
}
