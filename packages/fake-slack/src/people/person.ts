import type { Delivery } from "../delivery/deliver.js";
import { viewAsSlack } from "../web-api/as-slack.js";
import { deleteMessage, directChannel } from "../world/messages.js";
import type { Channel, Team, User } from "../world/model.js";
import type { World } from "../world/world.js";
import { choose, close, press, runCommand, say, submit, useMessageShortcut } from "./act.js";
import type { ElementReference, Entry } from "./elements.js";
import { Seat, tsOf } from "./seat.js";
import {
  type MessageReference,
  Place,
  type SeenFile,
  type SeenMessage,
  type SeenView,
  seenMessage,
  seenView,
  type ViewReference,
} from "./seen.js";

/** A person in a workspace, with their actions and their view. */
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
    this.#seat = new Seat(world, team, user);
  }

  /** Whether they administer the workspace; can be set at any time. */
  get isAdmin(): boolean {
    return this.#seat.user.isAdmin;
  }

  set isAdmin(isAdmin: boolean) {
    this.#seat.user.isAdmin = isAdmin;
  }

  /** Whether their account is deactivated; can be set at any time. */
  get isDeleted(): boolean {
    return this.#seat.user.isDeleted;
  }

  set isDeleted(isDeleted: boolean) {
    this.#seat.user.isDeleted = isDeleted;
  }

  /** The IANA name. */
  get timeZone(): string {
    return this.#seat.user.timeZone;
  }

  /** Their direct conversation with the bot; opened if there is none. */
  get directPlace(): Place {
    return new Place(this.#channel(undefined));
  }

  /**
   * Types a slash command.
   *
   * @example await ann.command("/media logs webhooks", { in: general });
   */
  async command(line: string, { in: place }: { in?: Place } = {}): Promise<Delivery> {
    return runCommand(this.#seat, this.#channel(place), line);
  }

  /**
   * Presses a button, found by its text, its `action_id` or its value, or exactly by its ids. Confirmation dialogs are
   * confirmed.
   *
   * @param options `times: 2` is a double click: both are sent concurrently; returns the last result.
   */
  async press(
    seen: MessageReference | ViewReference,
    button: string | ElementReference,
    { times = 1 }: { times?: number } = {},
  ): Promise<Delivery> {
    return press(this.#seat, this.#seat.targetOf(seen), button, times);
  }

  /** Chooses from a menu, found by its `action_id`, its placeholder or its label, or exactly by its ids. */
  async choose(
    seen: MessageReference | ViewReference,
    menu: string | ElementReference,
    choice: Entry,
  ): Promise<Delivery> {
    return choose(this.#seat, this.#seat.targetOf(seen), menu, choice);
  }

  /** Fills in the visible modal, by labels, `action_id`s or `block_id`s, and submits it. Other inputs are unchanged. */
  async submit(entries: Readonly<Record<string, Entry>> = {}): Promise<Delivery> {
    return submit(this.#seat, entries);
  }

  /** Closes the visible modal. */
  async close(): Promise<Delivery> {
    return close(this.#seat);
  }

  /**
   * Runs a global shortcut of the app.
   *
   * @param options `in`: the conversation that the person is viewing. It is not sent to the app, but a form may preset it.
   */
  async shortcut(callbackId: string, { in: place }: { in?: Place } = {}): Promise<Delivery> {
    const channelId = place && this.#channel(place).id;
    return this.#seat.send("interactive", {
      type: "shortcut",
      ...this.#seat.interaction(),
      action_ts: tsOf(this.#seat.world),
      callback_id: callbackId,
      trigger_id: this.#seat.trigger({ channelId }),
    });
  }

  /**
   * Uses a message shortcut of the app, from the menu of a message.
   *
   * @example await ann.messageShortcut(message, "look_up");
   */
  async messageShortcut(seen: MessageReference, callbackId: string): Promise<Delivery> {
    return useMessageShortcut(this.#seat, this.#seat.messageTarget(seen), callbackId);
  }

  /** Opens the app's home. */
  async openHome(): Promise<Delivery> {
    const { world, team, user } = this.#seat;
    const channel = this.#channel(undefined);
    return this.#seat.send("event", {
      type: "app_home_opened",
      user: user.id,
      channel: channel.id,
      tab: "home",
      event_ts: tsOf(world),
      ...(user.home && { view: viewAsSlack(world, team, user.home) }),
    });
  }

  /**
   * Writes a message. If it mentions the bot, the app receives `app_mention`.
   *
   * @param options `thread`: the message to reply to, or a reply in the same thread.
   * @example await ann.says(`${team.botMention} status`, { in: general });
   */
  async says(
    text: string,
    { in: place, thread }: { in: Place; thread?: MessageReference | undefined },
  ): Promise<SeenMessage> {
    return say(this.#seat, this.#channel(place), text, thread);
  }

  /** The messages of a channel that the person sees, oldest first, including the replies in threads. */
  sees(place: Place): SeenMessage[] {
    const channel = this.#seat.team.channels.get(place.id);
    return channel ? this.#seenIn(channel) : [];
  }

  /** The replies in the thread of a message, oldest first. */
  repliesTo({ channelId, ts }: MessageReference): SeenMessage[] {
    const channel = this.#seat.team.channels.get(channelId);
    return channel ? this.#seenIn(channel).filter(({ threadTs }) => threadTs === ts) : [];
  }

  /** The current state of a message; undefined if the person does not see it. */
  messageAt(reference: MessageReference): SeenMessage | undefined {
    const message = this.#seat.messageSeen(reference);
    return message && seenMessage(this.#seat.team, message);
  }

  /** The messages of the direct conversation with the bot. */
  direct(): SeenMessage[] {
    const { team, user } = this.#seat;
    const channel = [...team.channels.values()].find(({ kind, members }) => kind === "im" && members.has(user.id));
    return channel ? this.#seenIn(channel) : [];
  }

  /** The visible modal. */
  get modal(): SeenView | undefined {
    return this.modals[0];
  }

  /** The open modals: at most one, as modals on top of others are not modelled. */
  get modals(): SeenView[] {
    const { user, errors } = this.#seat;
    return user.modal ? [seenView(user.modal, errors.get(user.modal.id) ?? {})] : [];
  }

  get home(): SeenView | undefined {
    const { home } = this.#seat.user;
    return home && seenView(home, {});
  }

  /** The files in all of their conversations. */
  files(): SeenFile[] {
    const channels = [...this.#seat.team.channels.values()];
    return channels.flatMap((channel) => this.#seenIn(channel)).flatMap(({ files }) => files);
  }

  /** Reloads their window, which removes their private messages. */
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
    return channel.messages.filter((message) => this.#seat.sees(channel, message)).map((one) => seenMessage(team, one));
  }

  /** A channel that the person is in; without one, their direct conversation with the bot. */
  #channel(place: Place | undefined): Channel {
    const { world, team, user } = this.#seat;
    if (!place) {
      if (!team.installation) throw new Error(`The app is not installed in ${team.name}.`);
      return directChannel(world, team, user.id, team.installation.botUserId);
    }
    const channel = team.channels.get(place.id);
    if (!channel?.members.has(user.id)) throw new Error(`${user.name} is not in ${place.name}.`);
    if (channel.isArchived) throw new Error(`${place.name} is archived.`);
    return channel;
  }
}
