import { type Delivery, deliver } from "../delivery/deliver.js";
import { issueResponseUrl, type ResponseUrl } from "../delivery/response-url.js";
import type { OutgoingDelivery } from "../delivery/send.js";
import type { Channel, Json, Message, Team, TriggerSource, User, View } from "../world/model.js";
import { issueTrigger } from "../world/views.js";
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

/** A message or a view with elements. */
export type Target = MessageTarget | ViewTarget;

interface AnyTarget {
  readonly key: string;
  readonly blocks: readonly Json[];
}

/** A message that the person sees. */
export interface MessageTarget extends AnyTarget {
  readonly kind: "message";
  readonly channel: Channel;
  readonly message: Message;
}

interface ViewTarget extends AnyTarget {
  readonly kind: "view";
  readonly view: View;
}

/** A view as a target. */
export function viewTarget(view: View): Target {
  return { kind: "view", key: view.id, blocks: view.blocks, view };
}

/** A person and the state of their own Slack window. */
export class Seat {
  readonly world: World;
  readonly team: Team;
  readonly user: User;
  /** The errors that the app has reported, by the view's id. */
  readonly errors = new Map<string, Readonly<Record<string, string>>>();
  /** Entries that are not submitted yet. */
  readonly #entered = new Map<string, Json>();

  constructor(world: World, team: Team, user: User) {
    this.world = world;
    this.team = team;
    this.user = user;
  }

  /** Sends a request to the app. */
  send(kind: OutgoingDelivery["kind"], payload: Json): Promise<Delivery> {
    if (!this.team.installation) throw new Error(`The app is not installed in ${this.team.name}.`);
    return deliver(this.world, { kind, teamId: this.team.id, payload });
  }

  /** A new `trigger_id` for an action of the person. */
  trigger(source: Omit<TriggerSource, "teamId" | "userId">): string {
    return issueTrigger(this.world, { ...source, teamId: this.team.id, userId: this.user.id });
  }

  /** A new `response_url` for an action of the person. */
  responseUrl(channelId: string, origin: ResponseUrl["origin"]): string {
    return issueResponseUrl(this.world, { teamId: this.team.id, channelId, userId: this.user.id, origin });
  }

  /** Whether the person sees a message. */
  sees(channel: Channel, { onlyFor }: Message): boolean {
    return onlyFor === undefined ? channel.members.has(this.user.id) : onlyFor === this.user.id;
  }

  /** The current state of a message, if the person sees it. */
  messageSeen({ channelId, ts }: MessageReference): Message | undefined {
    const channel = this.team.channels.get(channelId);
    return channel?.messages.find((candidate) => candidate.ts === ts && this.sees(channel, candidate));
  }

  /**
   * The current state of a message or view.
   *
   * @throws {Error} if the person does not see it.
   */
  targetOf(seen: MessageReference | ViewReference): Target {
    if (!("id" in seen)) return this.messageTarget(seen);
    const { name, modal, home } = this.user;
    const view = [modal, home].find((candidate) => candidate?.id === seen.id);
    const title = "title" in seen ? `"${String(seen.title)}"` : seen.id;
    if (!view) throw new Error(`${name} does not see the view ${title}.`);
    return viewTarget(view);
  }

  /**
   * The current state of a message.
   *
   * @throws {Error} if the person does not see it.
   */
  messageTarget(seen: MessageReference): MessageTarget {
    const channel = this.team.channels.get(seen.channelId);
    const message = this.messageSeen(seen);
    if (!channel || !message) throw new Error(`${this.user.name} does not see the message ${seen.ts}.`);
    return { kind: "message", key: `${channel.id} ${message.ts}`, blocks: message.blocks, channel, message };
  }

  /** Keeps an entry until it is submitted. */
  enter(target: Target, found: FoundElement, state: Json): void {
    this.#entered.set(keyOf(target, found), state);
  }

  /** The state of an element: the entry, or the initial value from the app. */
  stateOf(target: Target, found: FoundElement): Json {
    const known = this.#entered.get(keyOf(target, found));
    // An update may have replaced the element at this position.
    if (known && known.type === found.element.type) return known;
    return initialState(this, found.element, target.kind === "view" ? target.view.channelId : undefined);
  }

  /** All entries as Slack sends them: by block, by element. */
  stateValues(target: Target): Json {
    const values: Record<string, Record<string, Json>> = {};
    for (const found of elementsIn(target.blocks)) {
      if (!hasState(found.element)) continue;
      values[found.blockId] = { ...values[found.blockId], [found.actionId]: this.stateOf(target, found) };
    }
    return values;
  }

  /** The members of every interaction. */
  interaction(): Json {
    const { world, team, user } = this;
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
}

function keyOf({ key }: Target, { blockId, actionId }: FoundElement): string {
  return JSON.stringify([key, blockId, actionId]);
}

/** Apps used it for authentication before requests were signed; Slack still sends it. */
export const VERIFICATION_TOKEN = "not-used-any-more";

/** Whether the app has acknowledged a delivery. */
export function isTaken({ status }: Delivery): boolean {
  return status >= 200 && status < 300;
}

/** The current time as Slack's timestamp. */
export function tsOf(world: World): string {
  return (world.now() / 1000).toFixed(6);
}
