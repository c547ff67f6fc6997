import type { Delivery } from "../delivery/deliver.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { fieldOf, isObject, parsed, textIn } from "../json.js";
import { Refusal } from "../refusal.js";
import { messageAsSlack, viewAsSlack } from "../web-api/as-slack.js";
import { messageContent } from "../web-api/content.js";
import { postMessage } from "../world/messages.js";
import type { Channel, Json } from "../world/model.js";
import { issueTrigger } from "../world/views.js";
import {
  buttonText,
  type ElementReference,
  type Entry,
  elementsIn,
  enteredState,
  type FoundElement,
  findElement,
  isButton,
} from "./elements.js";
import {
  blocksOf,
  channelName,
  commandFields,
  escaped,
  interaction,
  isTaken,
  NOTHING_SENT,
  type Seat,
  send,
  stateKey,
  stateValues,
  type Target,
  tsOf,
} from "./seat.js";

/** Presses a button, found by its text, its `action_id` or its value, or by its ids. */
export async function press(
  seat: Seat,
  target: Target,
  name: string | ElementReference,
  times: number,
): Promise<Delivery> {
  const buttons = elementsIn(blocksOf(target)).filter(({ element }) => isButton(element));
  const button = findElement(buttons, name, {
    what: "button",
    readings: [({ element }) => buttonText(element), ({ actionId }) => actionId, ({ element }) => element.value],
  });
  const { text, value, style } = button.element;
  const pressed = { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) };
  const deliveries = Array.from({ length: times }, () => sendAction(seat, target, button, pressed));
  return (await Promise.all(deliveries)).at(-1) ?? NOTHING_SENT;
}

/** Chooses from a menu, found by its `action_id`, its placeholder or its label, or by its ids. */
export function choose(seat: Seat, target: Target, name: string | ElementReference, entry: Entry): Promise<Delivery> {
  const menus = elementsIn(blocksOf(target)).filter(({ element }) => !isButton(element));
  const menu = findElement(menus, name, {
    what: "menu",
    readings: [
      ({ actionId }) => actionId,
      ({ element }) => fieldOf(element.placeholder, "text"),
      ({ label }) => label || undefined,
    ],
  });
  const state = enteredState(menu.element, entry);
  seat.entered.set(stateKey(target, menu), state);
  // The value of an input is sent when it is submitted.
  if (menu.block.type === "input") return Promise.resolve(NOTHING_SENT);
  return sendAction(seat, target, menu, state);
}

function sendAction(seat: Seat, target: Target, found: FoundElement, fields: Json): Promise<Delivery> {
  const { element, actionId, blockId } = found;
  const ids = { type: element.type, action_id: actionId, block_id: blockId };
  return send(seat, "interactive", {
    type: "block_actions",
    ...interaction(seat),
    ...containerOf(seat, target),
    actions: [{ ...fields, ...ids, action_ts: tsOf(seat.world) }],
  });
}

function containerOf(seat: Seat, target: Target): Json {
  const { world, team, user } = seat;
  const values = stateValues(seat, target);
  const trigger_id = issueTrigger(world, team.id, user.id);
  if (target.kind === "view") {
    const { view } = target;
    return {
      container: { type: "view", view_id: view.id },
      trigger_id,
      view: viewAsSlack(world, team, view, values),
    };
  }
  const { channel, message } = target;
  const isEphemeral = message.onlyFor !== undefined;
  const origin = { kind: "message", ts: message.ts } as const;
  return {
    container: { type: "message", message_ts: message.ts, channel_id: channel.id, is_ephemeral: isEphemeral },
    trigger_id,
    channel: { id: channel.id, name: channelName(channel) },
    // Slack doesn't store ephemeral messages, and so can't send them.
    ...(!isEphemeral && { message: messageAsSlack(world, team, message) }),
    state: { values },
    response_url: issueResponseUrl(world, { teamId: team.id, channelId: channel.id, userId: user.id, origin }),
  };
}

/** Sends a slash command, and shows the answer in its acknowledgement. */
export async function runCommand(seat: Seat, channel: Channel, line: string): Promise<Delivery> {
  const { world, team, user } = seat;
  const [command = ""] = line.split(/\s/, 1);
  if (!world.app.commands.includes(command)) throw new Error(`${command} is not a valid command.`);
  const origin = { kind: "slash_command" } as const;
  const delivery = await send(seat, "slash_command", {
    ...commandFields(seat, channel),
    command,
    text: escaped(line.slice(command.length).trim()),
    response_url: issueResponseUrl(world, { teamId: team.id, channelId: channel.id, userId: user.id, origin }),
    trigger_id: issueTrigger(world, team.id, user.id),
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
