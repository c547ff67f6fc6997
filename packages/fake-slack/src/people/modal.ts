import type { Delivery } from "../delivery/deliver.js";
import { fieldOf, isObject, parsed, textIn } from "../json.js";
import { Refusal } from "../refusal.js";
import { viewAsSlack } from "../web-api/as-slack.js";
import { viewContent } from "../web-api/content.js";
import type { Json, View, ViewContent } from "../world/model.js";
import { closeModal, closeModals, stackView, updateView } from "../world/views.js";
import type { World } from "../world/world.js";
import { complaint, type Entry, elementsIn, enteredState, type FoundElement, hasState, isEmpty } from "./elements.js";
import { isTaken, NOTHING_SENT, type Seat, type Target, viewTarget } from "./seat.js";

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
    trigger_id: seat.trigger({ channelId: view.channelId, viewId: view.id }),
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
  if (view.clearOnClose) closeModals(world, user);
  else closeModal(world, user, view);
  return view.notifyOnClose ? seat.send("interactive", payload) : Promise.resolve(NOTHING_SENT);
}

function modalOf({ user }: Seat): View {
  const view = user.modals.at(-1);
  if (!view) throw new Error(`${user.name} has no modal open.`);
  return view;
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
  else if (action === "clear") closeModals(world, user);
  else if (action === "update") updateView(world, team, view, contentIn(world, answer));
  else if (action === "push") stackView(world, user, view, contentIn(world, answer));
  else if (action !== undefined || (answer !== undefined && answer !== "" && !isObject(answer))) {
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
