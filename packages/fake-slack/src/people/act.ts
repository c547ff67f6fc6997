import type { Delivery } from "../delivery/deliver.js";
import { escapeMarkup, Refusal } from "../http.js";
import { fieldOf, isObject, parsed, textIn } from "../json.js";
import { messageAsSlack, viewAsSlack } from "../web-api/as-slack.js";
import { messageContent, viewContent } from "../web-api/content.js";
import { postMessage } from "../world/messages.js";
import type { Channel, Json, Message, Team, View, ViewContent } from "../world/model.js";
import { closeModal, updateView } from "../world/views.js";
import type { World } from "../world/world.js";
import * as elements from "./elements.js";
import { complaint, type Entry, elementsIn, enteredState, type FoundElement, hasState, isEmpty } from "./elements.js";
import {
  isTaken,
  type MessageTarget,
  NOTHING_SENT,
  type Seat,
  type Target,
  tsOf,
  VERIFICATION_TOKEN,
  viewTarget,
} from "./seat.js";
import { type MessageReference, type SeenMessage, seenMessage } from "./seen.js";

/** Presses a button, found by its text, its `action_id` or its value, or by its ids. */
export async function press(
  seat: Seat,
  target: Target,
  name: string | elements.ElementReference,
  times: number,
): Promise<Delivery> {
  const buttons = elements.elementsIn(target.blocks).filter(({ element }) => elements.isButton(element));
  const button = elements.findElement(buttons, name, "button", [
    ({ element }) => elements.buttonText(element),
    ({ actionId }) => actionId,
    ({ element }) => element.value,
  ]);
  const { text, value, style } = button.element;
  const pressed = { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) };
  const deliveries = Array.from({ length: times }, () => sendAction(seat, target, button, pressed));
  return (await Promise.all(deliveries)).at(-1) ?? NOTHING_SENT;
}

/** Chooses from a menu, found by its `action_id`, its placeholder or its label, or by its ids. */
export function choose(
  seat: Seat,
  target: Target,
  name: string | elements.ElementReference,
  entry: elements.Entry,
): Promise<Delivery> {
  const menus = elements.elementsIn(target.blocks).filter(({ element }) => !elements.isButton(element));
  const menu = elements.findElement(menus, name, "menu", [
    ({ actionId }) => actionId,
    ({ element }) => fieldOf(element.placeholder, "text"),
    ({ label }) => label || undefined,
  ]);
  const state = elements.enteredState(seat, menu.element, entry);
  seat.enter(target, menu, state);
  // The value of an input is sent on submission.
  if (menu.block.type === "input") return Promise.resolve(NOTHING_SENT);
  return sendAction(seat, target, menu, state);
}

function sendAction(seat: Seat, target: Target, found: elements.FoundElement, fields: Json): Promise<Delivery> {
  const { element, actionId, blockId } = found;
  const ids = { type: element.type, action_id: actionId, block_id: blockId };
  return seat.send("interactive", {
    type: "block_actions",
    ...seat.interaction(),
    trigger_id: seat.trigger({ channelId: target.kind === "message" ? target.channel.id : target.view.channelId }),
    ...containerOf(seat, target),
    actions: [{ ...fields, ...ids, action_ts: tsOf(seat.world) }],
  });
}

function containerOf(seat: Seat, target: Target): Json {
  const { world, team } = seat;
  const values = seat.stateValues(target);
  if (target.kind === "view") {
    const { view } = target;
    return { container: { type: "view", view_id: view.id }, view: viewAsSlack(world, team, view, values) };
  }
  const { channel, message } = target;
  const isEphemeral = message.onlyFor !== undefined;
  const { ts, threadTs } = message;
  const thread = threadTs !== undefined && { thread_ts: threadTs };
  return {
    container: { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral: isEphemeral, ...thread },
    channel: { id: channel.id, name: shownName(channel) },
    // Slack doesn't store ephemeral messages, and so can't send them.
    ...(!isEphemeral && { message: messageAsSlack(world, team, message) }),
    state: { values },
    response_url: seat.responseUrl(channel.id, { kind: "message", ts }),
  };
}

/** Uses one of the app's message shortcuts. */
export async function useMessageShortcut(
  seat: Seat,
  { channel, message }: MessageTarget,
  callbackId: string,
): Promise<Delivery> {
  const { world, team, user } = seat;
  if (!world.app.messageShortcuts.includes(callbackId)) {
    const offered = world.app.messageShortcuts.map((one) => `"${one}"`).join(", ") || "none";
    throw new Error(`There is no message shortcut "${callbackId}"; offered: ${offered}.`);
  }
  // Slack doesn't store ephemeral messages, and so can't send them.
  if (message.onlyFor !== undefined) {
    throw new Error(`A message that only ${user.name} sees has no shortcuts.`);
  }
  // Slack sends the app's id with clicks and windows, but not with shortcuts.
  const { api_app_id, ...interaction } = seat.interaction();
  return seat.send("interactive", {
    type: "message_action",
    ...interaction,
    action_ts: tsOf(world),
    callback_id: callbackId,
    trigger_id: seat.trigger({ channelId: channel.id }),
    channel: { id: channel.id, name: shownName(channel) },
    message_ts: message.ts,
    message: messageAsSlack(world, team, message),
    response_url: seat.responseUrl(channel.id, { kind: "message_action" }),
  });
}

/** Sends a slash command, and shows the response in its acknowledgement. */
export async function runCommand(seat: Seat, channel: Channel, line: string): Promise<Delivery> {
  const { world, team, user } = seat;
  const { organization } = team;
  const [command = ""] = line.split(/\s/, 1);
  if (!world.app.commands.includes(command)) throw new Error(`${command} is not a valid command.`);
  const typed = line.slice(command.length).trim();
  const delivery = await seat.send("slash_command", {
    token: VERIFICATION_TOKEN,
    team_id: user.homeTeamId ?? team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: shownName(channel),
    user_id: user.id,
    user_name: user.name,
    api_app_id: world.app.id,
    ...(organization && { enterprise_id: organization.id, enterprise_name: organization.name }),
    is_enterprise_install: String(organization?.isOrgWide === true),
    command,
    text: escaped(world.app.escapesCommands ? withReferences(team, typed) : typed),
    response_url: seat.responseUrl(channel.id, { kind: "slash_command" }),
    trigger_id: seat.trigger({ channelId: channel.id }),
  });
  if (!isTaken(delivery)) return delivery;
  try {
    showAnswer(seat, channel, delivery.body);
    return delivery;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...delivery, shownError: `${command} failed with the error "invalid_command_response"` };
  }
}

function showAnswer({ world, team, user }: Seat, channel: Channel, body: unknown): void {
  const answer = parsed(body);
  const args: Json = isObject(answer) ? answer : { text: textIn(body) };
  const isEmpty = (args.text === undefined || args.text === "") && args.blocks === undefined;
  if (isEmpty || !team.installation) return;
  postMessage(world, channel, {
    ...messageContent(world, args),
    userId: team.installation.botUserId,
    onlyFor: args.response_type === "in_channel" ? undefined : user.id,
  });
}

/** Slack doesn't send the names of private conversations. */
function shownName({ kind, name }: Channel): string {
  if (kind === "public") return name;
  return kind === "private" ? "privategroup" : "directmessage";
}

const TROUBLE = "We had some trouble connecting. Try again?";

/**
 * Fills in the modal, by the labels of its inputs, their `action_id` or `block_id`, and submits it.
 *
 * @throws {Error} if Slack would not submit it.
 */
export async function submit(seat: Seat, entries: Readonly<Record<string, Entry>>): Promise<Delivery> {
  const { world, team } = seat;
  const view = modalOf(seat);
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
    seat.enter(target, input, enteredState(seat, input.element, entry));
  }
  for (const input of inputs) refuseIncomplete(seat, target, input);
  seat.errors.delete(view.id);
  const delivery = await seat.send("interactive", {
    type: "view_submission",
    ...seat.interaction(),
    trigger_id: seat.trigger({ channelId: view.channelId }),
    view: viewAsSlack(world, team, view, seat.stateValues(target)),
    response_urls: responseUrls(seat, target, inputs),
  });
  if (!isTaken(delivery)) return delivery;
  try {
    obey(seat, view, parsed(delivery.body));
    return delivery;
  } catch (error) {
    if (error instanceof Refusal) return { ...delivery, shownError: TROUBLE };
    throw error;
  }
}

/** The URLs at which the app can respond in the conversations that a form's menus chose. */
function responseUrls(seat: Seat, target: Target, inputs: readonly FoundElement[]): Json[] {
  return inputs.flatMap((input) => {
    const channelId = textIn(seat.stateOf(target, input).selected_conversation);
    if (input.element.response_url_enabled !== true || channelId === "") return [];
    const response_url = seat.responseUrl(channelId, { kind: "view_submission" });
    return [{ block_id: input.blockId, action_id: input.actionId, channel_id: channelId, response_url }];
  });
}

/** Closes the visible modal; sends `view_closed` if the app requests it. */
export function close(seat: Seat): Promise<Delivery> {
  const { world, team, user } = seat;
  const view = modalOf(seat);
  const payload = {
    type: "view_closed",
    ...seat.interaction(),
    view: viewAsSlack(world, team, view, seat.stateValues(viewTarget(view))),
    is_cleared: view.clearOnClose,
  };
  closeModal(world, user, view);
  return view.notifyOnClose ? seat.send("interactive", payload) : Promise.resolve(NOTHING_SENT);
}

function modalOf({ user }: Seat): View {
  if (!user.modal) throw new Error(`${user.name} has no modal open.`);
  return user.modal;
}

function nameOf({ label, actionId }: FoundElement): string {
  return label || actionId;
}

function refuseIncomplete(seat: Seat, target: Target, input: FoundElement): void {
  const state = seat.stateOf(target, input);
  const isRequired = input.block.type === "input" && input.block.optional !== true;
  if (isRequired && isEmpty(state)) throw new Error(`"${nameOf(input)}" must be filled in.`);
  const wrong = complaint(input.element, state);
  if (wrong !== undefined) throw new Error(`"${nameOf(input)}" ${wrong}.`);
}

/** Applies the app's response to a submission. */
function obey(seat: Seat, view: View, answer: unknown): void {
  const { world, team, user } = seat;
  const action = isObject(answer) ? answer.response_action : undefined;
  if (action === "errors") showErrors(seat, view, fieldOf(answer, "errors"));
  else if (action === "update") updateView(world, team, view, contentIn(world, answer));
  else if (action !== undefined ? action !== "clear" : answer !== undefined && answer !== "" && !isObject(answer)) {
    throw new Refusal("invalid_response", { detail: `fake-slack does not model response_action ${String(action)}` });
  } else closeModal(world, user, view);
}

function contentIn(world: World, answer: unknown): ViewContent {
  return viewContent(world, fieldOf(answer, "view"), "modal");
}

function showErrors({ world, user, errors: shown }: Seat, view: View, given: unknown): void {
  if (!isObject(given) || Object.keys(given).length === 0) throw new Refusal("invalid_response");
  const inputs = new Set(view.blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id));
  const errors: Record<string, string> = {};
  for (const [blockId, error] of Object.entries(given)) {
    if (!inputs.has(blockId) || typeof error !== "string") throw new Refusal("invalid_response");
    errors[blockId] = error;
  }
  shown.set(view.id, errors);
  const detail = { id: view.id, callback_id: view.callbackId, errors };
  world.record({ teamId: view.teamId, what: "shown", name: "view", users: [user.id], detail });
}

/**
 * Writes a message into a channel, or into a thread of it. If it mentions the bot there, the app receives
 * `app_mention`.
 */
export async function say(
  seat: Seat,
  channel: Channel,
  text: string,
  thread: MessageReference | undefined,
): Promise<SeenMessage> {
  const { world, team, user } = seat;
  const threadTs = thread && threadOf(seat, channel, thread);
  const message = postMessage(world, channel, { text: escaped(text), blocks: [], userId: user.id, threadTs });
  if (isMention(seat, channel, message)) await seat.send("event", mentionEvent(seat, message));
  return seenMessage(team, message);
}

/** Outside its channels, Slack asks the person to invite the bot; a direct message to it is no mention. */
function isMention({ team: { installation } }: Seat, { kind, members }: Channel, { text }: Message): boolean {
  if (!installation?.scopes.includes("app_mentions:read")) return false;
  const { botUserId } = installation;
  return kind !== "im" && members.has(botUserId) && new RegExp(`<@${botUserId}[|>]`).test(text);
}

function mentionEvent({ team, user }: Seat, { ts, text, channelId, threadTs }: Message): Json {
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

function threadOf(seat: Seat, channel: Channel, reference: MessageReference): string {
  const { message } = seat.messageTarget(reference);
  if (message.channelId !== channel.id) throw new Error(`The message ${message.ts} is not in ${channel.name}.`);
  if (message.onlyFor !== undefined) throw new Error(`Nobody can reply to a message that only ${seat.user.name} sees.`);
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
