import { setTimeout } from "node:timers/promises";
import type { Delivery, MessageReference, Person, Place, ViewReference } from "@media-ops/fake-slack";
import * as z from "zod";
import { placesOf, type Setting } from "./feed.js";
import type { ActionResult, PersonAction, Surface } from "./protocol.js";

const entry = z.union([z.string(), z.array(z.string())]);
const surface = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("message"), channelId: z.string(), ts: z.string() }),
  z.strictObject({ kind: z.literal("view"), id: z.string() }),
]);
const element = { on: surface, blockId: z.string(), actionId: z.string() };

function deed<Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return z.strictObject({ person: z.string(), do: z.literal(name), ...shape });
}

const deeds: z.ZodType<PersonAction> = z.discriminatedUnion("do", [
  deed("command", { place: z.string(), line: z.string() }),
  deed("say", { place: z.string(), text: z.string().regex(/\S/, "a message says something") }),
  deed("press", element),
  deed("choose", { ...element, entry }),
  deed("submit", { view: z.string(), entries: z.record(z.string(), entry) }),
  deed("close", {}),
  deed("home", {}),
  deed("shortcut", { callbackId: z.string() }),
]);

/** It can't be done: the message says why, as a person would be told. */
export class ActionError extends Error {
  override readonly name = "ActionError";
}

/**
 * Reads what somebody wants to do.
 *
 * @throws {ActionError} where it is nothing that can be done.
 */
export function readAction(body: unknown): PersonAction {
  const read = deeds.safeParse(body);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ` : "";
  throw new ActionError(`This can't be done here: ${where}${issue?.message ?? "it is not understood"}.`);
}

/**
 * Does it, in the name of the person.
 *
 * @throws {ActionError} where Slack would not let her.
 */
export async function perform(setting: Setting, wanted: PersonAction): Promise<ActionResult> {
  const person = setting.people.find(({ id }) => id === wanted.person);
  if (!person) throw new ActionError(`There is nobody here with the id ${wanted.person}.`);
  try {
    const { shownError } = await done(setting, person, wanted);
    return shownError === undefined ? {} : { shownError };
  } catch (error) {
    if (error instanceof ActionError || !(error instanceof Error)) throw error;
    throw new ActionError(error.message, { cause: error });
  }
}

type Outcome = Pick<Delivery, "shownError">;

const NOTHING_WRONG: Outcome = { shownError: undefined };
// Slack tries for minutes to deliver an event; nobody looks at the window for so long.
const EVENT_MS = 3000;

async function done(setting: Setting, person: Person, wanted: PersonAction): Promise<Outcome> {
  switch (wanted.do) {
    case "command":
      return person.command(wanted.line, { in: placeIn(setting, person, wanted.place) });
    case "say":
      await person.says(wanted.text, { in: placeIn(setting, person, wanted.place) });
      return NOTHING_WRONG;
    case "press":
      return person.press(referenceTo(wanted.on), wanted);
    case "choose":
      return person.choose(referenceTo(wanted.on), wanted, wanted.entry);
    case "submit":
      if (person.modal?.id !== wanted.view) throw new ActionError("This window is not the one before you any more.");
      return person.submit(wanted.entries);
    case "close":
      return person.close();
    case "home":
      return Promise.race([person.openHome(), setTimeout(EVENT_MS, NOTHING_WRONG, { ref: false })]);
    case "shortcut":
      return person.shortcut(wanted.callbackId);
  }
}

function placeIn({ team }: Setting, person: Person, id: string): Place {
  const place = placesOf(team, person).find((one) => one.id === id);
  if (!place) throw new ActionError(`${person.name} is in no conversation with the id ${id}.`);
  return place;
}

function referenceTo(on: Surface): MessageReference | ViewReference {
  return on.kind === "view" ? { id: on.id } : { channelId: on.channelId, ts: on.ts };
}
