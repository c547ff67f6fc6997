import { fieldOf } from "../block-kit/json.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { messageAsSlack, viewAsSlack } from "../web-api/as-slack.js";
import type { Json } from "../world/model.js";
import { issueTrigger } from "../world/triggers.js";
import {
  actionIdOf,
  blockIdOf,
  calledSo,
  type ElementReference,
  elementsIn,
  type FoundElement,
  isAt,
  labelOf,
} from "./elements.js";
import { chosenOption, type Entry, enteredState } from "./entering.js";
import { channelName, interaction, tsOf } from "./payloads.js";
import {
  blocksOf,
  type Delivery,
  inputLabel,
  NOTHING_SENT,
  type Seat,
  send,
  stateKey,
  stateValues,
  type Target,
} from "./seat.js";
import { isButton } from "./text-of.js";

/** Presses a button, known by what stands on it, by its `action_id`, or by its value; or exactly the one that is meant. */
export async function press(
  seat: Seat,
  target: Target,
  name: string | ElementReference,
  times: number,
): Promise<Delivery> {
  const buttons = elementsIn(blocksOf(target)).filter(({ element }) => isButton(element));
  const button =
    typeof name === "string"
      ? (buttons.find(({ element }) => labelOf(element) === name) ??
        buttons.find(({ element }) => element.action_id === name) ??
        buttons.find(({ element }) => element.value === name))
      : buttons.find(isAt(name));
  if (!button) {
    const offered = buttons.map(({ element }) => `"${labelOf(element)}"`).join(", ");
    throw new Error(`${seat.user.name} sees no button ${calledSo(name)}; there are: ${offered || "none"}.`);
  }
  const { text, value, style } = button.element;
  const told = { text, ...(value !== undefined && { value }), ...(style !== undefined && { style }) };
  const deliveries = Array.from({ length: times }, () => tellAction(seat, target, button, told));
  return (await Promise.all(deliveries)).at(-1) ?? NOTHING_SENT;
}

/** Chooses from a menu, known by its `action_id`, its placeholder, or the label above it; or exactly the one meant. */
export function choose(seat: Seat, target: Target, name: string | ElementReference, entry: Entry): Promise<Delivery> {
  const menus = elementsIn(blocksOf(target)).filter(({ element }) => !isButton(element));
  const menu =
    typeof name === "string"
      ? (menus.find(({ element }) => element.action_id === name) ??
        menus.find(({ element }) => fieldOf(element.placeholder, "text") === name) ??
        menus.find((found) => inputLabel(found) === name))
      : menus.find(isAt(name));
  if (!menu) {
    const offered = menus.map((found) => `"${actionIdOf(found)}"`).join(", ");
    throw new Error(
      `${seat.user.name} sees nothing to choose from named ${calledSo(name)}; there are: ${offered || "none"}.`,
    );
  }
  if (menu.element.type === "overflow") {
    const option = chosenOption(menu.element, typeof entry === "string" ? entry : (entry[0] ?? ""));
    return tellAction(seat, target, menu, { selected_option: option });
  }
  const { type: _, ...state } = enteredState(seat.team, menu.element, entry);
  seat.entered.set(stateKey(target, menu), { type: menu.element.type, ...state });
  // An input tells nothing until it is submitted, unless it is made to.
  if (menu.block.type === "input" && menu.block.dispatch_action !== true) return Promise.resolve(NOTHING_SENT);
  return tellAction(seat, target, menu, state);
}

function tellAction(seat: Seat, target: Target, found: FoundElement, told: Json): Promise<Delivery> {
  const { world, team, user } = seat;
  const action = {
    type: found.element.type,
    action_id: actionIdOf(found),
    block_id: blockIdOf(found),
    ...told,
    action_ts: tsOf(world),
  };
  return send(seat, "interactive", {
    type: "block_actions",
    ...interaction(world, team, user),
    ...whereOf(seat, target),
    actions: [action],
  });
}

function whereOf(seat: Seat, target: Target): Json {
  const { world, team, user } = seat;
  const values = stateValues(seat, target);
  if (target.kind === "view") {
    const { view } = target;
    const isModal = view.type === "modal";
    return {
      container: { type: "view", view_id: view.id },
      trigger_id: issueTrigger(world, team.id, user.id, isModal ? view.id : undefined),
      view: viewAsSlack(world, team, view, values),
    };
  }
  const { channel, message } = target;
  const isEphemeral = message.onlyFor !== undefined;
  const origin = { kind: "message", ts: message.ts } as const;
  return {
    container: { type: "message", message_ts: message.ts, channel_id: channel.id, is_ephemeral: isEphemeral },
    trigger_id: issueTrigger(world, team.id, user.id),
    channel: { id: channel.id, name: channelName(channel) },
    // Slack does not keep what only one person sees, and so does not tell it.
    ...(!isEphemeral && { message: messageAsSlack(world, team, message) }),
    state: { values },
    response_url: issueResponseUrl(world, { teamId: team.id, channelId: channel.id, userId: user.id, origin }),
  };
}
