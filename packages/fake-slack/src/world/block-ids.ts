import { isObject } from "../block-kit/json.js";
import type { Json, World } from "./model.js";

/** The blocks as Slack keeps them: those without an id are given one, and so are the elements that can act. */
export function withIds(world: World, blocks: readonly Json[]): readonly Json[] {
  return blocks.map((block) => ({ ...withActionIds(world, block), block_id: idOf(world, block.block_id, "B") }));
}

/** The elements of blocks that people press, choose from or fill in. */
const ACTING = new Set(
  `button workflow_button overflow checkboxes radio_buttons static_select external_select users_select
  conversations_select channels_select multi_static_select multi_external_select multi_users_select
  multi_conversations_select multi_channels_select datepicker timepicker datetimepicker plain_text_input number_input
  email_text_input url_text_input rich_text_input file_input feedback_buttons icon_button`.split(/\s+/),
);

function withActionIds(world: World, block: Json): Json {
  const copy: Record<string, unknown> = { ...block };
  for (const name of ["element", "accessory"]) {
    if (isObject(block[name])) copy[name] = withActionId(world, block[name]);
  }
  for (const name of ["elements", "actions"]) {
    if (!Array.isArray(block[name])) continue;
    const elements: unknown[] = block[name];
    copy[name] = elements.map((element) => (isObject(element) ? withActionId(world, element) : element));
  }
  if (Array.isArray(block.child_blocks)) copy.child_blocks = withIds(world, block.child_blocks.filter(isObject));
  return copy;
}

function withActionId(world: World, element: Json): Json {
  if (typeof element.type === "string" && ACTING.has(element.type)) {
    return { ...element, action_id: idOf(world, element.action_id, "A") };
  }
  // A card of a carousel has buttons of its own.
  return element.type === "card" ? { ...withActionIds(world, element) } : element;
}

function idOf(world: World, given: unknown, prefix: string): string {
  return typeof given === "string" ? given : world.newId(prefix);
}
