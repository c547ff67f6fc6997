import type { Entry } from "@media-ops/fake-slack";
import { type Json, numberIn, stringIn } from "../json.js";
import { isEmpty, manyOf, oneOf } from "./entry.js";

const LONGEST = 3000;

/** What Slack says under an input before anything is sent; undefined where all is well. */
export function complaint(element: Json, entry: Entry, { isOptional }: { isOptional: boolean }): string | undefined {
  if (isEmpty(entry)) return isOptional ? undefined : "Please complete this required field.";
  const text = oneOf(entry);
  switch (element.type) {
    case "number_input":
      return numberComplaint(element, text);
    case "url_text_input":
      return URL.canParse(text) ? undefined : "Enter a valid URL, such as https://media.example.";
    case "email_text_input":
      return /^[^@\s]+@[^@\s]+$/.test(text) ? undefined : "Enter a valid email address.";
    case "plain_text_input":
      return lengthComplaint(element, text);
    default: {
      const most = numberIn(element.max_selected_items);
      return most !== undefined && manyOf(entry).length > most ? `Choose at most ${most}.` : undefined;
    }
  }
}

function lengthComplaint(element: Json, { length }: string): string | undefined {
  const least = numberIn(element.min_length) ?? 0;
  const most = numberIn(element.max_length) ?? LONGEST;
  if (length < least) return `Enter at least ${least} characters; there are ${length}.`;
  return length > most ? `Enter at most ${most} characters; there are ${length}.` : undefined;
}

function numberComplaint(element: Json, text: string): string | undefined {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) return "Enter a number.";
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) return "Enter a whole number.";
  const least = stringIn(element.min_value);
  const most = stringIn(element.max_value);
  if (least !== "" && number < Number(least)) return `Enter a number that is at least ${least}.`;
  return most !== "" && number > Number(most) ? `Enter a number that is at most ${most}.` : undefined;
}
