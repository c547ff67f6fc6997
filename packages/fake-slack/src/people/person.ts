import type { OutgoingDelivery } from "../delivery/deliver.js";
import { type Delivery, deliver } from "../delivery/deliver.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { escapeMarkup } from "../http.js";
import { fieldOf, isObject, parsed, textIn } from "../json.js";
import { messageAsSlack, messageContent, viewAsSlack, viewContent } from "../web-api/content.js";
import { deleteMessage, directChannel, postMessage } from "../world/messages.js";
import type { Channel, Json, Message, ResponseUrl, Team, User, View } from "../world/model.js";
import { Refusal } from "../world/refusal.js";
import { closeModal, issueTrigger, updateView } from "../world/views.js";
import type { World } from "../world/world.js";
import {
  buttonText,
  complaint,
  type ElementReference,
  type Entry,
  elementsIn,
  enteredState,
  type FoundElement,
  findElement,
  hasState,
  initialState,
  isButton,
  isEmpty,
} from "./elements.js";
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

/** The result of an action that sends nothing to the app. */
const NOTHING_SENT: Delivery = { status: 0, body: undefined, tries: 0, acknowledgedInMs: 0, shownError: undefined };

/** Apps used it for authentication before requests were signed; Slack still sends it. */
const VERIFICATION_TOKEN = "not-used-any-more";

const TROUBLE = "We had some trouble connecting. Try again?";

/** A message or a view with elements. */
type Target = MessageTarget | ViewTarget;

interface MessageTarget {
  readonly kind: "message";
  readonly key: string;
  readonly blocks: readonly Json[];
  readonly channel: Channel;
  readonly message: Message;
}

interface ViewTarget {
  readonly kind: "view";
  readonly key: string;
  readonly blocks: readonly Json[];
  readonly view: View;
}

/** A person in a workspace, with their actions and their view. */
export class Person {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly teamId: string;
  readonly #world: World;
  readonly #team: Team;
  readonly #user: User;
  /** The errors that the app has reported, by the view's id. */
  readonly #errors = new Map<string, Readonly<Record<string, string>>>();
  /** Entries that are not submitted yet. */
  readonly #entered = new Map<string, Json>();

  constructor(world: World, team: Team, user: User) {
    this.id = user.id;
    this.name = user.name;
    this.realName = user.realName;
    this.teamId = team.id;
    this.#world = world;
    this.#team = team;
    this.#user = user;
  }

  /** Whether they administer the workspace; can be set at any time. */
  get isAdmin(): boolean {
    return this.#user.isAdmin;
  }

  set isAdmin(isAdmin: boolean) {
    this.#user.isAdmin = isAdmin;
  }

  /** Whether their account is deactivated; can be set at any time. */
  get isDeleted(): boolean {
    return this.#user.isDeleted;
  }

  set isDeleted(isDeleted: boolean) {
    this.#user.isDeleted = isDeleted;
  }

  /** The IANA name. */
  get timeZone(): string {
    return this.#user.timeZone;
  }

  /** Their direct conversation with the bot; opened if there is none. */
  get directPlace(): Place {
    return new Place(this.#channel(undefined));
  }

  /**
   * Types a slash command, and sees the response in its acknowledgement.
   *
   * @example await ann.command("/media logs webhooks", { in: general });
   */
  async command(line: string, { in: place }: { in?: Place } = {}): Promise<Delivery> {
    const { app } = this.#world;
    const team = this.#team;
    const { organization } = team;
    const channel = this.#channel(place);
    const [command = ""] = line.split(/\s/, 1);
    if (!app.commands.includes(command)) throw new Error(`${command} is not a valid command.`);
    const typed = line.slice(command.length).trim();
    const delivery = await this.#send("slash_command", {
      token: VERIFICATION_TOKEN,
      team_id: this.#user.homeTeamId ?? team.id,
      team_domain: team.domain,
      channel_id: channel.id,
      channel_name: shownName(channel),
      user_id: this.id,
      user_name: this.name,
      api_app_id: app.id,
      ...(organization && { enterprise_id: organization.id, enterprise_name: organization.name }),
      is_enterprise_install: String(organization?.isOrgWide === true),
      command,
      text: escaped(app.escapesCommands ? withReferences(team, typed) : typed),
      response_url: this.#responseUrl(channel.id, { kind: "slash_command" }),
      trigger_id: this.#trigger(channel.id),
    });
    return this.#obey(delivery, `${command} failed with the error "invalid_command_response"`, () =>
      this.#showAnswer(channel, delivery.body),
    );
  }

  /**
   * Presses a button, found by its text, its `action_id` or its value, or exactly by its ids. Confirmation dialogs are
   * confirmed.
   *
   * @param options `times: 2` is a double click: both are sent concurrently; returns the last result.
   */
  async press(
    seen: MessageReference | ViewReference,
    name: string | ElementReference,
    { times = 1 }: { times?: number } = {},
  ): Promise<Delivery> {
    const target = this.#targetOf(seen);
    const buttons = elementsIn(target.blocks).filter(({ element }) => isButton(element));
    const button = findElement(buttons, name, "button", [
      ({ element }) => buttonText(element),
      ({ actionId }) => actionId,
      ({ element }) => element.value,
    ]);
    const { text, value, style } = button.element;
    const pressed = { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) };
    const deliveries = Array.from({ length: times }, () => this.#sendAction(target, button, pressed));
    return (await Promise.all(deliveries)).at(-1) ?? NOTHING_SENT;
  }

  /** Chooses from a menu, found by its `action_id`, its placeholder or its label, or exactly by its ids. */
  async choose(
    seen: MessageReference | ViewReference,
    name: string | ElementReference,
    choice: Entry,
  ): Promise<Delivery> {
    const target = this.#targetOf(seen);
    const menus = elementsIn(target.blocks).filter(({ element }) => !isButton(element));
    const menu = findElement(menus, name, "menu", [
      ({ actionId }) => actionId,
      ({ element }) => fieldOf(element.placeholder, "text"),
      ({ label }) => label || undefined,
    ]);
    const state = this.#enter(target, menu, choice);
    // The value of an input is sent on submission.
    return menu.block.type === "input" ? NOTHING_SENT : this.#sendAction(target, menu, state);
  }

  /**
   * Fills in the visible modal, by the labels of its inputs, their `action_id` or `block_id`, and submits it. Other
   * inputs are unchanged.
   *
   * @throws {Error} if Slack would not submit it.
   */
  async submit(entries: Readonly<Record<string, Entry>> = {}): Promise<Delivery> {
    const view = this.#modal();
    if (view.submit === undefined) throw new Error(`The modal "${view.title}" has no button to submit it.`);
    const target = viewTarget(view);
    const inputs = elementsIn(view.blocks).filter(({ element }) => hasState(element));
    for (const [name, entry] of Object.entries(entries)) {
      const input =
        inputs.find(({ blockId }) => blockId === name) ??
        inputs.find(({ label, actionId }) => label === name || actionId === name);
      if (!input) {
        const names = inputs.map((one) => `"${nameOf(one)}"`).join(", ") || "none";
        throw new Error(`The modal "${view.title}" has no input "${name}"; it has: ${names}.`);
      }
      this.#enter(target, input, entry);
    }
    for (const input of inputs) refuseIncomplete(input, this.#stateOf(target, input));
    this.#errors.delete(view.id);
    const delivery = await this.#send("interactive", {
      type: "view_submission",
      ...this.#interaction(),
      trigger_id: this.#trigger(view.channelId),
      view: viewAsSlack(this.#world, this.#team, view, this.#stateValues(target)),
      response_urls: this.#responseUrls(target, inputs),
    });
    return this.#obey(delivery, TROUBLE, () => this.#followSubmission(view, parsed(delivery.body)));
  }

  /** Closes the visible modal; sends `view_closed` if the app requests it. */
  async close(): Promise<Delivery> {
    const view = this.#modal();
    const payload = {
      type: "view_closed",
      ...this.#interaction(),
      view: viewAsSlack(this.#world, this.#team, view, this.#stateValues(viewTarget(view))),
      is_cleared: view.clearOnClose,
    };
    closeModal(this.#world, this.#user, view);
    return view.notifyOnClose ? this.#send("interactive", payload) : NOTHING_SENT;
  }

  /**
   * Runs a global shortcut of the app.
   *
   * @param options `in`: the conversation that the person is viewing. It is not sent to the app, but a form may preset it.
   */
  async shortcut(callbackId: string, { in: place }: { in?: Place } = {}): Promise<Delivery> {
    return this.#send("interactive", {
      type: "shortcut",
      ...this.#interaction(),
      action_ts: this.#ts(),
      callback_id: callbackId,
      trigger_id: this.#trigger(place && this.#channel(place).id),
    });
  }

  /**
   * Uses a message shortcut of the app, from the menu of a message.
   *
   * @example await ann.messageShortcut(message, "look_up");
   */
  async messageShortcut(seen: MessageReference, callbackId: string): Promise<Delivery> {
    const { channel, message } = this.#messageTarget(seen);
    const { messageShortcuts } = this.#world.app;
    if (!messageShortcuts.includes(callbackId)) {
      const offered = messageShortcuts.map((one) => `"${one}"`).join(", ") || "none";
      throw new Error(`There is no message shortcut "${callbackId}"; offered: ${offered}.`);
    }
    // Slack doesn't store ephemeral messages, and so can't send them.
    if (message.onlyFor !== undefined) throw new Error(`A message that only ${this.name} sees has no shortcuts.`);
    // Slack sends the app's id with clicks and windows, but not with shortcuts.
    const { api_app_id, ...interaction } = this.#interaction();
    return this.#send("interactive", {
      type: "message_action",
      ...interaction,
      action_ts: this.#ts(),
      callback_id: callbackId,
      trigger_id: this.#trigger(channel.id),
      channel: { id: channel.id, name: shownName(channel) },
      message_ts: message.ts,
      message: messageAsSlack(this.#world, this.#team, message),
      response_url: this.#responseUrl(channel.id, { kind: "message_action" }),
    });
  }

  /** Opens the app's home. */
  async openHome(): Promise<Delivery> {
    const { home } = this.#user;
    return this.#send("event", {
      type: "app_home_opened",
      user: this.id,
      channel: this.#channel(undefined).id,
      tab: "home",
      event_ts: this.#ts(),
      ...(home && { view: viewAsSlack(this.#world, this.#team, home) }),
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
    const channel = this.#channel(place);
    const threadTs = thread && threadOf(this.#messageTarget(thread), channel, this.name);
    const content = { text: escaped(text), blocks: [], userId: this.id, threadTs };
    const message = postMessage(this.#world, channel, content);
    if (isMention(this.#team, channel, message)) {
      await this.#send("event", mentionEvent(this.#team, this.#user, message));
    }
    return seenMessage(this.#team, message);
  }

  /** The messages of a channel that the person sees, oldest first, including the replies in threads. */
  sees(place: Place): SeenMessage[] {
    return this.#seenIn(this.#team.channels.get(place.id));
  }

  /** The replies in the thread of a message, oldest first. */
  repliesTo({ channelId, ts }: MessageReference): SeenMessage[] {
    return this.#seenIn(this.#team.channels.get(channelId)).filter(({ threadTs }) => threadTs === ts);
  }

  /** The current state of a message; undefined if the person does not see it. */
  messageAt(reference: MessageReference): SeenMessage | undefined {
    const message = this.#messageSeen(reference);
    return message && seenMessage(this.#team, message);
  }

  /** The messages of the direct conversation with the bot. */
  direct(): SeenMessage[] {
    const channels = [...this.#team.channels.values()];
    return this.#seenIn(channels.find(({ kind, members }) => kind === "im" && members.has(this.id)));
  }

  /** The visible modal; modals on top of others are not modelled. */
  get modal(): SeenView | undefined {
    const { modal } = this.#user;
    return modal && seenView(modal, this.#errors.get(modal.id) ?? {});
  }

  get home(): SeenView | undefined {
    const { home } = this.#user;
    return home && seenView(home, {});
  }

  /** The files in all of their conversations. */
  files(): SeenFile[] {
    const channels = [...this.#team.channels.values()];
    return channels.flatMap((channel) => this.#seenIn(channel)).flatMap(({ files }) => files);
  }

  /** Reloads their window, which removes their private messages. */
  reload(): void {
    for (const channel of this.#team.channels.values()) {
      for (const message of channel.messages.filter(({ onlyFor }) => onlyFor === this.id)) {
        deleteMessage(this.#world, channel, message);
      }
    }
  }

  #seenIn(channel: Channel | undefined): SeenMessage[] {
    if (!channel) return [];
    return channel.messages.filter((one) => this.#sees(channel, one)).map((one) => seenMessage(this.#team, one));
  }

  #sees(channel: Channel, { onlyFor }: Message): boolean {
    return onlyFor === undefined ? channel.members.has(this.id) : onlyFor === this.id;
  }

  #messageSeen({ channelId, ts }: MessageReference): Message | undefined {
    const channel = this.#team.channels.get(channelId);
    return channel?.messages.find((candidate) => candidate.ts === ts && this.#sees(channel, candidate));
  }

  #messageTarget(seen: MessageReference): MessageTarget {
    const channel = this.#team.channels.get(seen.channelId);
    const message = this.#messageSeen(seen);
    if (!channel || !message) throw new Error(`${this.name} does not see the message ${seen.ts}.`);
    return { kind: "message", key: `${channel.id} ${message.ts}`, blocks: message.blocks, channel, message };
  }

  #targetOf(seen: MessageReference | ViewReference): Target {
    if (!("id" in seen)) return this.#messageTarget(seen);
    const { modal, home } = this.#user;
    const view = [modal, home].find((candidate) => candidate?.id === seen.id);
    const title = "title" in seen ? `"${String(seen.title)}"` : seen.id;
    if (!view) throw new Error(`${this.name} does not see the view ${title}.`);
    return viewTarget(view);
  }

  #modal(): View {
    if (!this.#user.modal) throw new Error(`${this.name} has no modal open.`);
    return this.#user.modal;
  }

  /** A channel that the person is in; without one, their direct conversation with the bot. */
  #channel(place: Place | undefined): Channel {
    const { name, channels, installation } = this.#team;
    if (!place) {
      if (!installation) throw new Error(`The app is not installed in ${name}.`);
      return directChannel(this.#world, this.#team, this.id, installation.botUserId);
    }
    const channel = channels.get(place.id);
    if (!channel?.members.has(this.id)) throw new Error(`${this.name} is not in ${place.name}.`);
    if (channel.isArchived) throw new Error(`${place.name} is archived.`);
    return channel;
  }

  /** Keeps an entry until it is submitted. */
  #enter(target: Target, found: FoundElement, entry: Entry): Json {
    const state = enteredState(this.#viewer, found.element, entry);
    this.#entered.set(keyOf(target, found), state);
    return state;
  }

  /** The state of an element: the entry, or the initial value from the app. */
  #stateOf(target: Target, found: FoundElement): Json {
    const known = this.#entered.get(keyOf(target, found));
    // An update may have replaced the element at this position.
    if (known && known.type === found.element.type) return known;
    return initialState(this.#viewer, found.element, target.kind === "view" ? target.view.channelId : undefined);
  }

  get #viewer() {
    return { team: this.#team, user: this.#user };
  }

  /** All entries as Slack sends them: by block, by element. */
  #stateValues(target: Target): Json {
    const values: Record<string, Record<string, Json>> = {};
    for (const found of elementsIn(target.blocks)) {
      if (!hasState(found.element)) continue;
      values[found.blockId] = { ...values[found.blockId], [found.actionId]: this.#stateOf(target, found) };
    }
    return values;
  }

  #sendAction(target: Target, { element, actionId, blockId }: FoundElement, fields: Json): Promise<Delivery> {
    const ids = { type: element.type, action_id: actionId, block_id: blockId };
    return this.#send("interactive", {
      type: "block_actions",
      ...this.#interaction(),
      trigger_id: this.#trigger(target.kind === "message" ? target.channel.id : target.view.channelId),
      ...this.#containerOf(target),
      actions: [{ ...fields, ...ids, action_ts: this.#ts() }],
    });
  }

  #containerOf(target: Target): Json {
    const values = this.#stateValues(target);
    if (target.kind === "view") {
      const view = viewAsSlack(this.#world, this.#team, target.view, values);
      return { container: { type: "view", view_id: target.view.id }, view };
    }
    const { channel, message } = target;
    const isEphemeral = message.onlyFor !== undefined;
    const { ts, threadTs } = message;
    const thread = threadTs !== undefined && { thread_ts: threadTs };
    return {
      container: { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral: isEphemeral, ...thread },
      channel: { id: channel.id, name: shownName(channel) },
      // Slack doesn't store ephemeral messages, and so can't send them.
      ...(!isEphemeral && { message: messageAsSlack(this.#world, this.#team, message) }),
      state: { values },
      response_url: this.#responseUrl(channel.id, { kind: "message", ts }),
    };
  }

  /** The members of every interaction. */
  #interaction(): Json {
    const { id, domain, organization } = this.#team;
    const { homeTeamId } = this.#user;
    return {
      user: { id: this.id, username: this.name, name: this.name, team_id: homeTeamId ?? id },
      api_app_id: this.#world.app.id,
      token: VERIFICATION_TOKEN,
      team: { id, domain },
      enterprise: organization ? { id: organization.id, name: organization.name } : null,
      is_enterprise_install: organization?.isOrgWide === true,
    };
  }

  #send(kind: OutgoingDelivery["kind"], payload: Json): Promise<Delivery> {
    if (!this.#team.installation) throw new Error(`The app is not installed in ${this.#team.name}.`);
    return deliver(this.#world, { kind, teamId: this.teamId, payload });
  }

  #trigger(channelId: string | undefined): string {
    return issueTrigger(this.#world, { teamId: this.teamId, userId: this.id, channelId });
  }

  #responseUrl(channelId: string, origin: ResponseUrl["origin"]): string {
    return issueResponseUrl(this.#world, { teamId: this.teamId, channelId, userId: this.id, origin });
  }

  /** The URLs at which the app can respond in the conversations that a form's menus chose. */
  #responseUrls(target: Target, inputs: readonly FoundElement[]): Json[] {
    return inputs.flatMap((input) => {
      const channelId = textIn(this.#stateOf(target, input).selected_conversation);
      if (input.element.response_url_enabled !== true || channelId === "") return [];
      const response_url = this.#responseUrl(channelId, { kind: "view_submission" });
      return [{ block_id: input.blockId, action_id: input.actionId, channel_id: channelId, response_url }];
    });
  }

  /** The current time as Slack's timestamp. */
  #ts(): string {
    return (this.#world.now() / 1000).toFixed(6);
  }

  /** Does what the app's acknowledgement says, or shows Slack's error if it can't be done. */
  #obey(delivery: Delivery, shownError: string, follow: () => void): Delivery {
    if (delivery.status < 200 || delivery.status >= 300) return delivery;
    try {
      follow();
      return delivery;
    } catch (error) {
      if (error instanceof Refusal) return { ...delivery, shownError };
      throw error;
    }
  }

  #showAnswer(channel: Channel, body: unknown): void {
    const { installation } = this.#team;
    const answer = parsed(body);
    const args: Json = isObject(answer) ? answer : { text: textIn(body) };
    const hasContent = (args.text !== undefined && args.text !== "") || args.blocks !== undefined;
    if (!hasContent || !installation) return;
    postMessage(this.#world, channel, {
      ...messageContent(this.#world, args),
      userId: installation.botUserId,
      onlyFor: args.response_type === "in_channel" ? undefined : this.id,
    });
  }

  #followSubmission(view: View, answer: unknown): void {
    const action = isObject(answer) ? answer.response_action : undefined;
    const isNothing = answer === undefined || answer === "" || isObject(answer);
    if (action === "errors") this.#showErrors(view, fieldOf(answer, "errors"));
    else if (action === "update") {
      updateView(this.#world, this.#team, view, viewContent(this.#world, fieldOf(answer, "view"), "modal"));
    } else if (action === "clear" || (action === undefined && isNothing)) closeModal(this.#world, this.#user, view);
    else
      throw new Refusal("invalid_response", { detail: `fake-slack does not model response_action ${String(action)}` });
  }

  #showErrors(view: View, given: unknown): void {
    if (!isObject(given) || Object.keys(given).length === 0) throw new Refusal("invalid_response");
    const inputs = new Set(view.blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id));
    const errors: Record<string, string> = {};
    for (const [blockId, error] of Object.entries(given)) {
      if (!inputs.has(blockId) || typeof error !== "string") throw new Refusal("invalid_response");
      errors[blockId] = error;
    }
    this.#errors.set(view.id, errors);
    const detail = { id: view.id, callback_id: view.callbackId, errors };
    this.#world.record({ teamId: this.teamId, what: "shown", name: "view", users: [this.id], detail });
  }
}

function viewTarget(view: View): ViewTarget {
  return { kind: "view", key: view.id, blocks: view.blocks, view };
}

function keyOf({ key }: Target, { blockId, actionId }: FoundElement): string {
  return JSON.stringify([key, blockId, actionId]);
}

function nameOf({ label, actionId }: FoundElement): string {
  return label || actionId;
}

function refuseIncomplete(input: FoundElement, state: Json): void {
  const isRequired = input.block.type === "input" && input.block.optional !== true;
  if (isRequired && isEmpty(state)) throw new Error(`"${nameOf(input)}" must be filled in.`);
  const wrong = complaint(input.element, state);
  if (wrong !== undefined) throw new Error(`"${nameOf(input)}" ${wrong}.`);
}

/** Slack doesn't send the names of private conversations. */
function shownName({ kind, name }: Channel): string {
  if (kind === "public") return name;
  return kind === "private" ? "privategroup" : "directmessage";
}

/** Outside its channels, Slack asks the person to invite the bot; a direct message to it is no mention. */
function isMention({ installation }: Team, { kind, members }: Channel, { text }: Message): boolean {
  if (!installation?.scopes.includes("app_mentions:read")) return false;
  const { botUserId } = installation;
  return kind !== "im" && members.has(botUserId) && new RegExp(`<@${botUserId}[|>]`).test(text);
}

function mentionEvent(team: Team, user: User, { ts, text, channelId, threadTs }: Message): Json {
  const teamId = user.homeTeamId ?? team.id;
  return {
    type: "app_mention",
    user: user.id,
    text,
    ts,
    team: teamId,
    ...(user.homeTeamId !== undefined && { user_team: teamId, source_team: teamId }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    channel: channelId,
    event_ts: ts,
  };
}

function threadOf({ message }: MessageTarget, channel: Channel, name: string): string {
  if (message.channelId !== channel.id) throw new Error(`The message ${message.ts} is not in ${channel.name}.`);
  if (message.onlyFor !== undefined) throw new Error(`Nobody can reply to a message that only ${name} sees.`);
  return message.threadTs ?? message.ts;
}

/** A reference as Slack writes it, which its own pickers insert. */
const REFERENCE = /(<(?:#C\w+|@U\w+|!subteam\^\w+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>)/;

/** Escapes a typed text, except for references. */
function escaped(text: string): string {
  return text.split(REFERENCE).map(unlessReference(escapeMarkup)).join("");
}

const TYPED_LINK = /https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)]/.source;
const TYPED_NAME = /(?<![\p{L}\p{N}_.-])([#@])([\p{L}\p{N}._-]*[\p{L}\p{N}_-])/u.source;
const TYPED = new RegExp(`(${TYPED_LINK})|${TYPED_NAME}`, "gu");

/** Replaces links, and the names of public channels and people, by references, as in an app's escaped commands. */
function withReferences({ channels, users }: Team, text: string): string {
  const referenceTo = (typed: string, link: string | undefined, sign: string, name: string): string => {
    if (link !== undefined) return `<${link}>`;
    const channel = [...channels.values()].find((one) => one.kind === "public" && one.name === name);
    const user = [...users.values()].find((one) => !one.isDeleted && one.name === name);
    const found = sign === "#" ? channel : user;
    return found ? `<${sign}${found.id}|${name}>` : typed;
  };
  const replaced = (part: string): string => part.replace(TYPED, referenceTo);
  return text.split(REFERENCE).map(unlessReference(replaced)).join("");
}

/** Applies a change to the parts between the references of a split text. */
const unlessReference = (change: (text: string) => string) => (part: string, index: number) =>
  index % 2 === 1 ? part : change(part);
