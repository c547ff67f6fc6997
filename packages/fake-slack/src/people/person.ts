import { viewAsSlack } from "../web-api/as-slack.js";
import { deleteMessage, directChannel, postMessage } from "../world/messages.js";
import type { Channel, Team, User, World } from "../world/model.js";
import { issueTrigger } from "../world/triggers.js";
import { choose, press } from "./act.js";
import { runCommand } from "./command.js";
import type { ElementReference } from "./elements.js";
import type { Entry } from "./entering.js";
import { close, submit } from "./modal.js";
import { escaped, interaction, tsOf } from "./payloads.js";
import { Place } from "./place.js";
import { type Delivery, messageSeen, type Seat, sees, send, targetOf } from "./seat.js";
import {
  type MessageReference,
  type SeenFile,
  type SeenMessage,
  type SeenView,
  seenMessage,
  seenView,
  type ViewReference,
} from "./seen.js";

/** Somebody in a workspace: what she does there, and what she sees. */
export class Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly teamId: string;
  readonly #seat: Seat;

  constructor(world: World, team: Team, user: User) {
    this.id = user.id;
    this.name = user.name;
    this.realName = user.realName;
    this.teamId = team.id;
    this.#seat = { world, team, user, entered: new Map(), errors: new Map() };
  }

  /** Whether she administers the workspace; may change while all runs. */
  get isAdmin(): boolean {
    return this.#seat.user.isAdmin;
  }

  set isAdmin(isAdmin: boolean) {
    this.#seat.user.isAdmin = isAdmin;
  }

  /** Whether her account was deactivated; may change while all runs. */
  get isDeleted(): boolean {
    return this.#seat.user.isDeleted;
  }

  set isDeleted(isDeleted: boolean) {
    this.#seat.user.isDeleted = isDeleted;
  }

  /** By its IANA name. */
  get timeZone(): string {
    return this.#seat.user.timeZone;
  }

  /** Her direct conversation with the bot; it is begun where there is none. */
  get directPlace(): Place {
    return new Place(this.#channel(undefined));
  }

  /**
   * A slash command, as she types it.
   *
   * @example await ann.command("/media logs webhooks", { in: general });
   */
  async command(line: string, { in: place }: { in?: Place } = {}): Promise<Delivery> {
    return runCommand(this.#seat, this.#channel(place), line);
  }

  /**
   * Presses a button: by what stands on it, by its `action_id`, or by its value; or the one at a block's and an
   * element's id, and no other. A question whether she is sure is answered with yes.
   *
   * @param options `times: 2` is a double click: both go out at once; the last answer is given.
   */
  async press(
    seen: MessageReference | ViewReference,
    button: string | ElementReference,
    { times = 1 }: { times?: number } = {},
  ): Promise<Delivery> {
    return press(this.#seat, targetOf(this.#seat, seen), button, times);
  }

  /** Chooses from a menu: by its `action_id`, its placeholder, or its label; or the one at these ids, and no other. */
  async choose(
    seen: MessageReference | ViewReference,
    menu: string | ElementReference,
    choice: Entry,
  ): Promise<Delivery> {
    return choose(this.#seat, targetOf(this.#seat, seen), menu, choice);
  }

  /** Fills in her top modal, by labels, `action_id`s or `block_id`s, and submits it. What is not named stays as it is. */
  async submit(entries: Readonly<Record<string, Entry>> = {}): Promise<Delivery> {
    return submit(this.#seat, entries);
  }

  /** Closes her top modal. */
  async close(): Promise<Delivery> {
    return close(this.#seat);
  }

  /** Runs one of the app's global shortcuts. */
  async shortcut(callbackId: string): Promise<Delivery> {
    const { world, team, user } = this.#seat;
    return send(this.#seat, "interactive", {
      type: "shortcut",
      ...interaction(world, team, user),
      action_ts: tsOf(world),
      callback_id: callbackId,
      trigger_id: issueTrigger(world, team.id, user.id),
    });
  }

  /** Opens the app's home. */
  async openHome(): Promise<Delivery> {
    const { world, team, user } = this.#seat;
    const channel = this.#channel(undefined);
    return send(this.#seat, "event", {
      type: "app_home_opened",
      user: user.id,
      channel: channel.id,
      tab: "home",
      event_ts: tsOf(world),
      ...(user.home && { view: viewAsSlack(world, team, user.home) }),
    });
  }

  /** Writes a message of her own. */
  async says(text: string, { in: place }: { in: Place }): Promise<SeenMessage> {
    const { world, team, user } = this.#seat;
    const message = postMessage(world, this.#channel(place), { text: escaped(text), blocks: [], userId: user.id });
    return seenMessage(team, message);
  }

  /** The messages of a channel, the oldest first: those for all where she is in it, and those for her alone. */
  sees(place: Place): SeenMessage[] {
    const channel = this.#seat.team.channels.get(place.id);
    return channel ? this.#seenIn(channel) : [];
  }

  /** A message as it stands there now; undefined where she does not see it, or does not any more. */
  messageAt(reference: MessageReference): SeenMessage | undefined {
    const message = messageSeen(this.#seat, reference);
    return message && seenMessage(this.#seat.team, message);
  }

  /** Her direct conversation with the bot. */
  direct(): SeenMessage[] {
    const { team, user } = this.#seat;
    const channel = [...team.channels.values()].find(({ kind, members }) => kind === "im" && members.has(user.id));
    return channel ? this.#seenIn(channel) : [];
  }

  /** The modal before her. */
  get modal(): SeenView | undefined {
    return this.modals.at(-1);
  }

  /** All her modals, the lowest first. */
  get modals(): SeenView[] {
    const { user, errors } = this.#seat;
    return user.views.map((view) => seenView(view, errors.get(view.id) ?? {}));
  }

  get home(): SeenView | undefined {
    const { home } = this.#seat.user;
    return home && seenView(home, {});
  }

  /** The files in all conversations that she is in. */
  files(): SeenFile[] {
    const channels = [...this.#seat.team.channels.values()];
    return channels.flatMap((channel) => this.#seenIn(channel)).flatMap(({ files }) => files);
  }

  /** Loads her window anew: what only she saw is gone. */
  reload(): void {
    const { world, team, user } = this.#seat;
    for (const channel of team.channels.values()) {
      for (const message of channel.messages.filter(({ onlyFor }) => onlyFor === user.id)) {
        deleteMessage(world, channel, message);
      }
    }
  }

  #seenIn(channel: Channel): SeenMessage[] {
    const { team } = this.#seat;
    return channel.messages
      .filter((message) => sees(this.#seat, channel, message))
      .map((one) => seenMessage(team, one));
  }

  /** A channel in which she can write; without one, her direct conversation with the bot. */
  #channel(place: Place | undefined): Channel {
    const { world, team, user } = this.#seat;
    if (!place) {
      if (!team.installation) throw new Error(`The app is not installed in ${team.name}.`);
      return directChannel(world, team, user.id, team.installation.botUserId);
    }
    const channel = team.channels.get(place.id);
    if (!channel?.members.has(user.id)) throw new Error(`${user.name} is not in ${place.name}.`);
    return channel;
  }
}
