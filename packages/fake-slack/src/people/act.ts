import type { Delivery } from "../delivery/deliver.js";
import { fieldOf, isObject, parsed, textIn } from "../json.js";
import { Refusal } from "../refusal.js";
import { messageAsSlack, viewAsSlack } from "../web-api/as-slack.js";
import { messageContent } from "../web-api/content.js";
import { postMessage } from "../world/messages.js";
import type { Channel, Json } from "../world/model.js";
import * as elements from "./elements.js";
import { escaped, withReferences } from "./references.js";
import { isTaken, type MessageTarget, NOTHING_SENT, type Seat, type Target, tsOf, VERIFICATION_TOKEN } from "./seat.js";

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
    trigger_id: seat.trigger(triggerSource(target)),
    ...containerOf(seat, target),
    actions: [{ ...fields, ...ids, action_ts: tsOf(seat.world) }],
  });
}

function triggerSource(target: Target): Parameters<Seat["trigger"]>[0] {
  if (target.kind === "message") return { channelId: target.channel.id };
  return { channelId: target.view.channelId, viewId: target.view.id };
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
