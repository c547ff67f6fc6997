import type { Deed, DeedAnswer } from "../../../src/window/protocol.js";
import { isObject, stringIn } from "../json.js";

type WithoutPerson<D> = D extends unknown ? Omit<D, "person"> : never;

/** What is done, whoever does it. */
export type Doing = WithoutPerson<Deed>;

export type Act = (doing: Doing) => Promise<DeedAnswer>;

const UNREACHABLE = "The playground did not answer. Is it still running?";

export async function act(person: string, doing: Doing): Promise<DeedAnswer> {
  try {
    const response = await fetch("api/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...doing, person }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    const { shownError, error } = isObject(answer) ? answer : {};
    if (!response.ok) return { error: stringIn(error) || `That could not be done: ${response.status}.` };
    return { ...(stringIn(shownError) && { shownError: stringIn(shownError) }) };
  } catch {
    return { error: UNREACHABLE };
  }
}
