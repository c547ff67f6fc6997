import { type Delivery, deliver } from "../delivery/deliver.js";
import type { OutgoingDelivery } from "../delivery/outgoing.js";
import { escapeMarkup } from "../http.js";
import type { Channel, Json, Message, Team, User, View } from "../world/model.js";
import type { World } from "../world/world.js";
import { elementsIn, type FoundElement, hasState, initialState } from "./elements.js";
import type { MessageReference, ViewReference } from "./seen.js";

/** The result of an action that sends nothing to the app. */
export const NOTHING_SENT: Delivery = {
  status: 0,
  body: undefined,
  tries: 0,
  acknowledgedInMs: 0,
  shownError: undefined,
};

/** A person and the state of their own Slack window. */
export interface Seat {
  readonly world: World;
  readonly team: Team;
  readonly user: User;
  /** Entries that are not sent yet, by `stateKey`. */
  readonly entered: Map<string, Json>;
  /** The errors that the app has reported, by the view's id. */
  readonly errors: Map<string, Readonly<Record<string, string>>>;
}

/** Something that a person can act in. */
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

/** The message as it is now, if the person sees it. */
export function messageSeen(seat: Seat, { channelId, ts }: MessageReference): Message | undefined {
  const channel = seat.team.channels.get(channelId);
  return channel?.messages.find((candidate) => candidate.ts === ts && sees(seat, channel, candidate));
}

/**
 * The message or view as it is now.
 *
 * @throws {Error} if the person does not see it.
 */
export function targetOf(seat: Seat, seen: MessageReference | ViewReference): Target {
  const { team, user } = seat;
  if ("id" in seen) {
    const view = [user.modal, user.home].find((candidate) => candidate?.id === seen.id);
    const name = "title" in seen ? `"${String(seen.title)}"` : seen.id;
    if (!view) throw new Error(`${user.name} does not see the view ${name}.`);
    return viewTarget(view);
  }
  const channel = team.channels.get(seen.channelId);
  const message = messageSeen(seat, seen);
  if (!channel || !message) throw new Error(`${user.name} does not see the message ${seen.ts}.`);
  return { kind: "message", key: `${channel.id} ${message.ts}`, channel, message };
}

export function viewTarget(view: View): Target {
  return { kind: "view", key: view.id, view };
}

export function blocksOf(target: Target): readonly Json[] {
  return target.kind === "message" ? target.message.blocks : target.view.blocks;
}

export function stateKey({ key }: Target, { blockId, actionId }: FoundElement): string {
  return JSON.stringify([key, blockId, actionId]);
}

export function stateOf({ entered }: Seat, target: Target, found: FoundElement): Json {
  const known = entered.get(stateKey(target, found));
  // An update may have put another element into its position.
  return known && known.type === found.element.type ? known : initialState(found.element);
}

/** All entries as Slack sends them: by block, by element. */
export function stateValues(seat: Seat, target: Target): Json {
  const values: Record<string, Record<string, Json>> = {};
  for (const found of elementsIn(blocksOf(target))) {
    if (!hasState(found.element)) continue;
    values[found.blockId] = { ...values[found.blockId], [found.actionId]: stateOf(seat, target, found) };
  }
  return values;
}

/** Apps were authenticated by it before requests were signed; Slack still sends it. */
const VERIFICATION_TOKEN = "not-used-any-more";

/** The members of every interaction. */
export function interaction({ world, team, user }: Seat): Json {
  const { organization } = team;
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.homeTeamId ?? team.id },
    api_app_id: world.app.id,
    token: VERIFICATION_TOKEN,
    team: { id: team.id, domain: team.domain },
    enterprise: organization ? { id: organization.id, name: organization.name } : null,
    is_enterprise_install: organization?.isOrgWide === true,
  };
}

/** The members of every command. */
export function commandFields({ world, team, user }: Seat, channel: Channel): Json {
  const { organization } = team;
  return {
    token: VERIFICATION_TOKEN,
    team_id: user.homeTeamId ?? team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    api_app_id: world.app.id,
    ...(organization && { enterprise_id: organization.id, enterprise_name: organization.name }),
    is_enterprise_install: String(organization?.isOrgWide === true),
  };
}

/** Slack doesn't send the names of private conversations. */
export function channelName({ kind, name }: Channel): string {
  return kind === "public" ? name : kind === "private" ? "privategroup" : "directmessage";
}

/** Escapes a typed text, except for references that Slack's own pickers insert. */
export function escaped(text: string): string {
  return text
    .split(/(<(?:#C\w+|@U\w+|!subteam\^\w+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarkup(part)))
    .join("");
}

/** The present as Slack's timestamp. */
export function tsOf(world: World): string {
  return (world.now() / 1000).toFixed(6);
}
