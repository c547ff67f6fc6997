import { setTimeout } from "node:timers/promises";
import type { Person, Place } from "@media-ops/fake-slack";
import { placesOf, type Setting } from "./feed.js";
import { type ActionResult, type PersonAction, personAction } from "./protocol.js";

/** A refused request. The message is for the person. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Performs the action in a request's body, and refuses what Slack would not allow. */
export async function perform(setting: Setting, body: unknown): Promise<ActionResult> {
  const { data: action, error } = personAction.safeParse(body);
  if (!action) {
    const [issue] = error.issues;
    const path = issue?.path.length ? `${issue.path.join(".")}: ` : "";
    throw new Refusal(400, `Invalid action: ${path}${issue?.message}.`);
  }
  const person = setting.people.find(({ id }) => id === action.person);
  if (!person) throw new Refusal(400, `There is no person with the id ${action.person}.`);
  try {
    const { shownError } = (await done(setting, person, action)) ?? {};
    return shownError === undefined ? {} : { shownError };
  } catch (error) {
    throw new Refusal(400, error instanceof Error ? error.message : String(error));
  }
}

async function done({ team, incident }: Setting, person: Person, action: PersonAction) {
  const placeAt = (wanted: string): Place => {
    const place = placesOf(team, person).find(({ id }) => id === wanted);
    if (!place) throw new Error(`${person.name} is not in a conversation with the id ${wanted}.`);
    return place;
  };
  switch (action.do) {
    case "command": {
      const place = placeAt(action.place);
      // Slack refuses an unknown command in the conversation.
      return person.command(action.line, { in: place }).catch(({ message }: Error) => ({ shownError: message }));
    }
    case "say": {
      const place = placeAt(action.place);
      const thread = action.thread === undefined ? undefined : { channelId: place.id, ts: action.thread };
      return withoutWaiting(person.says(action.text, { in: place, thread }));
    }
    case "press":
      return person.press(action.on, action);
    case "choose":
      return person.choose(action.on, action, action.entry);
    case "submit":
      if (person.modal?.id !== action.view) throw new Error("This modal is no longer open.");
      return person.submit(action.entries);
    case "close":
      return person.close();
    case "home":
      return withoutWaiting(person.openHome());
    case "shortcut": {
      const where = action.place === undefined ? {} : { in: placeAt(action.place) };
      return person.shortcut(action.callbackId, where);
    }
    case "message-shortcut":
      return person.messageShortcut(action, action.callbackId);
    case "incident":
      incident.begin();
      return undefined;
  }
}

// Slack retries an event for minutes. The page does not wait that long.
const EVENT_MS = 3000;

/** Waits for an action that sends an event. Slack shows nothing if that fails. */
async function withoutWaiting(action: Promise<unknown>): Promise<undefined> {
  await Promise.race([action, setTimeout(EVENT_MS, undefined, { ref: false })]);
}
