import { type Json, labelIn, listIn, stringIn } from "../json.js";
import type { Stage } from "../state/stage.js";

/** Something that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description: string;
  /** Under which heading it stands. */
  readonly group: string;
  /** Where it leads by itself. */
  readonly url: string;
  /** Its text and description as the app gave them. */
  readonly option: Json;
}

type Offer = Pick<Stage, "people" | "places">;

/** All that an element offers, in its order. */
export function choicesOf(element: Json, { people, places }: Offer): Choice[] {
  const type = stringIn(element.type);
  if (type.includes("users_select")) return people.map(({ id, realName }) => choice(id, realName));
  if (type.includes("channels_select") || type.includes("conversations_select")) {
    const isChannels = type.includes("channels_select");
    return places
      .filter(({ kind }) => kind === "channel" || !isChannels)
      .map(({ id, name, kind }) => choice(id, kind === "channel" ? `#${name}` : name));
  }
  const groups = listIn(element.option_groups);
  const grouped = groups.flatMap((group) => listIn(group.options).map((option) => read(option, labelIn(group.label))));
  return [...listIn(element.options).map((option) => read(option, "")), ...grouped];
}

function read(option: Json, group: string): Choice {
  const label = labelIn(option.text);
  return {
    value: stringIn(option.value) || label,
    label,
    description: labelIn(option.description),
    group,
    url: stringIn(option.url),
    option,
  };
}

function choice(value: string, label: string): Choice {
  return { value, label, description: "", group: "", url: "", option: { text: { type: "plain_text", text: label } } };
}
