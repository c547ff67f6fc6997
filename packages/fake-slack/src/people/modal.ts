import { fieldOf, isObject } from "../block-kit/json.js";
import { issueResponseUrl } from "../delivery/response-url.js";
import { viewAsSlack } from "../web-api/as-slack.js";
import { parsed } from "../web-api/parsed.js";
import { Refusal } from "../web-api/refusal.js";
import { type ViewContent, viewContent } from "../web-api/view-content.js";
import type { Json, View } from "../world/model.js";
import { issueTrigger } from "../world/triggers.js";
import { closeViews, pushOnto, updateView } from "../world/views.js";
import { actionIdOf, blockIdOf, elementsIn, type FoundElement } from "./elements.js";
import { complaint, type Entry, enteredState, hasState, isEmpty } from "./entering.js";
import { interaction } from "./payloads.js";
import {
  type Delivery,
  inputLabel,
  isTaken,
  NOTHING_SENT,
  type Seat,
  send,
  stateKey,
  stateOf,
  stateValues,
  type Target,
} from "./seat.js";

const TROUBLE = "We had some trouble connecting. Try again?";

/**
 * Fills in the top modal, by the labels of its inputs, their `action_id` or their block's id, and presses its button.
 *
 * @throws {Error} where Slack would not let her.
 */
export async function submit(seat: Seat, entries: Readonly<Record<string, Entry>>): Promise<Delivery> {
  const { world, team, user } = seat;
  const view = topOf(seat);
  if (view.submit === undefined) throw new Error(`The modal "${view.title}" has no button to submit it.`);
  const target: Target = { kind: "view", key: view.id, view };
  const inputs = elementsIn(view.blocks).filter(({ element }) => hasState(element));
  for (const [name, entry] of Object.entries(entries)) {
    const input =
      inputs.find((found) => blockIdOf(found) === name) ??
      inputs.find((found) => [inputLabel(found), actionIdOf(found)].includes(name));
    if (!input) throw new Error(`The modal "${view.title}" has no input "${name}"; it has: ${namesOf(inputs)}.`);
    seat.entered.set(stateKey(target, input), enteredState(team, input.element, entry));
  }
  for (const input of inputs) refuseIncomplete(seat, target, input);
  seat.errors.delete(view.id);
  const answered = await send(seat, "interactive", {
    type: "view_submission",
    ...interaction(world, team, user),
    trigger_id: issueTrigger(world, team.id, user.id, view.id),
    view: viewAsSlack(world, team, view, stateValues(seat, target)),
    response_urls: responseUrls(seat, target, inputs),
  });
  if (!isTaken(answered)) return answered;
  try {
    obey(seat, view, parsed(answered.body));
    return answered;
  } catch (error) {
    if (error instanceof Refusal) return { ...answered, shownError: TROUBLE };
    throw error;
  }
}

/** Closes the top modal, or all of them where it says so; tells the app if it wants to know. */
export function close(seat: Seat): Promise<Delivery> {
  const { world, team, user } = seat;
  const view = topOf(seat);
  const payload = {
    type: "view_closed",
    ...interaction(world, team, user),
    view: viewAsSlack(world, team, view, stateValues(seat, { kind: "view", key: view.id, view })),
    is_cleared: view.clearOnClose,
  };
  closeViews(world, user, { all: view.clearOnClose });
  return view.notifyOnClose ? send(seat, "interactive", payload) : Promise.resolve(NOTHING_SENT);
}

function topOf({ user }: Seat): View {
  const view = user.views.at(-1);
  if (!view) throw new Error(`${user.name} has no modal open.`);
  return view;
}

function namesOf(inputs: readonly FoundElement[]): string {
  return inputs.map((input) => `"${String(inputLabel(input) ?? actionIdOf(input))}"`).join(", ") || "none";
}

function refuseIncomplete(seat: Seat, target: Target, input: FoundElement): void {
  const name = String(inputLabel(input) ?? actionIdOf(input));
  const state = stateOf(seat, target, input);
  const isRequired = input.block.type === "input" && input.block.optional !== true;
  if (isRequired && isEmpty(state)) throw new Error(`"${name}" must be filled in.`);
  const wrong = complaint(input.element, state);
  if (wrong !== undefined) throw new Error(`"${name}" ${wrong}.`);
}

/** Menus of conversations can give the app an address at which it may post there. */
function responseUrls(seat: Seat, target: Target, inputs: readonly FoundElement[]): Json[] {
  const { world, team, user } = seat;
  return inputs.flatMap((input) => {
    const { selected_conversation, selected_channel } = stateOf(seat, target, input);
    const channelId = selected_conversation ?? selected_channel;
    if (input.element.response_url_enabled !== true || typeof channelId !== "string") return [];
    const origin = { kind: "slash_command" } as const;
    return [
      {
        block_id: blockIdOf(input),
        action_id: actionIdOf(input),
        channel_id: channelId,
        response_url: issueResponseUrl(world, { teamId: team.id, channelId, userId: user.id, origin }),
      },
    ];
  });
}

/** Does what the app's answer to a submission says. */
function obey(seat: Seat, view: View, answer: unknown): void {
  const { world, team, user } = seat;
  const action = isObject(answer) ? answer.response_action : undefined;
  const next = (): ViewContent => viewContent(world, fieldOf(answer, "view"), "modal");
  if (answer === undefined || answer === "" || (isObject(answer) && action === undefined)) closeIfOpen(seat, view);
  else if (action === "clear") closeViews(world, user, { all: true });
  else if (action === "update") updateView(world, team, view, next());
  else if (action === "push") pushOnto(world, team, user, next());
  else if (action === "errors") showErrors(seat, view, fieldOf(answer, "errors"));
  else throw new Refusal("invalid_response");
}

/** The app may have closed or replaced it while it was asked. */
function closeIfOpen({ world, user }: Seat, view: View): void {
  if (user.views.at(-1) === view) closeViews(world, user);
}

function showErrors(seat: Seat, view: View, given: unknown): void {
  const { world, user } = seat;
  if (!isObject(given) || Object.keys(given).length === 0) throw new Refusal("invalid_response");
  const inputs = new Set(view.blocks.filter(({ type }) => type === "input").map(({ block_id }) => block_id));
  const errors: Record<string, string> = {};
  for (const [blockId, error] of Object.entries(given)) {
    if (!inputs.has(blockId) || typeof error !== "string") throw new Refusal("invalid_response");
    errors[blockId] = error;
  }
  seat.errors.set(view.id, errors);
  const detail = { id: view.id, callback_id: view.callbackId, errors };
  world.tell({ teamId: view.teamId, what: "shown", name: "view", users: [user.id], detail });
}
