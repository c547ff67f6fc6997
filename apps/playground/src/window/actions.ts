import { setTimeout } from "node:timers/promises";
import type { Delivery, MessageReference, Person, Place, ViewReference } from "@media-ops/fake-slack";
import { placesOf, type Setting } from "./feed.js";
import { type ActionResult, type PersonAction, personAction, type Surface } from "./protocol.js";

/** An action that can't be performed. The message is for the person. */
export class ActionError extends Error {
  override readonly name = "ActionError";
}

/**
 * Parses an action.
 *
 * @throws {ActionError} if it is invalid.
 */
export function readAction(body: unknown): PersonAction {
  const read = personAction.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw new ActionError(`Invalid action: ${path}${issue?.message ?? "unknown"}.`);
}

/**
 * Performs an action as the person.
 *
 * @throws {ActionError} if Slack would not allow it.
 */
export async function perform(setting: Setting, wanted: PersonAction): Promise<ActionResult> {
  const person = setting.people.find(({ id }) => id === wanted.person);
  if (!person) throw new ActionError(`There is no person with the id ${wanted.person}.`);
  try {
    const { shownError } = await done(setting, person, wanted);
    return shownError === undefined ? {} : { shownError };
  } catch (error) {
    if (error instanceof ActionError || !(error instanceof Error)) throw error;
    throw new ActionError(error.message, { cause: error });
  }
}

const NOTHING_WRONG = { shownError: undefined };
// Slack retries an event for minutes. The page does not wait that long.
const EVENT_MS = 3000;

async function done(setting: Setting, person: Person, wanted: PersonAction): Promise<Pick<Delivery, "shownError">> {
  switch (wanted.do) {
    case "command": {
      const typed = person.command(wanted.line, { in: placeIn(setting, person, wanted.place) });
      // Slack refuses an unknown command in the conversation.
      return typed.catch((error: Error) => ({ shownError: error.message }));
    }
    case "say": {
      const place = placeIn(setting, person, wanted.place);
      const thread = wanted.thread === undefined ? undefined : { channelId: place.id, ts: wanted.thread };
      return patiently(person.says(wanted.text, { in: place, thread }));
    }
    case "press":
      return person.press(referenceTo(wanted.on), wanted);
    case "choose":
      return person.choose(referenceTo(wanted.on), wanted, wanted.entry);
    case "submit":
      if (person.modal?.id !== wanted.view) throw new ActionError("This modal is no longer open.");
      return person.submit(wanted.entries);
    case "close":
      return person.close();
    case "home":
      return patiently(person.openHome());
    case "shortcut": {
      const { place } = wanted;
      return person.shortcut(wanted.callbackId, place === undefined ? {} : { in: placeIn(setting, person, place) });
    }
    case "message-shortcut":
      return person.messageShortcut(wanted, wanted.callbackId);
    case "incident":
      setting.incident.begin();
      return NOTHING_WRONG;
  }
}

/** Waits for an action that sends an event. Slack shows nothing if that fails. */
async function patiently(action: Promise<unknown>): Promise<typeof NOTHING_WRONG> {
  await Promise.race([action, setTimeout(EVENT_MS, undefined, { ref: false })]);
  return NOTHING_WRONG;
}

function placeIn({ team }: Setting, person: Person, id: string): Place {
  const place = placesOf(team, person).find((one) => one.id === id);
  if (!place) throw new ActionError(`${person.name} is not in a conversation with the id ${id}.`);
  return place;
}

function referenceTo(on: Surface): MessageReference | ViewReference {
  return on.kind === "view" ? { id: on.id } : { channelId: on.channelId, ts: on.ts };
}
