import { fieldOf, isObject, itemsOf, type JsonObject } from "../block-kit/json.js";

/** Something in a block that a person can press, choose from or fill in. */
export interface FoundElement {
  readonly block: JsonObject;
  readonly element: JsonObject;
}

/** Exactly one element, as Slack tells it to the app. */
export interface ElementReference {
  readonly blockId: string;
  readonly actionId: string;
}

/** Whether an element is the one that is meant. */
export function isAt({ blockId, actionId }: ElementReference): (found: FoundElement) => boolean {
  return (found) => blockIdOf(found) === blockId && actionIdOf(found) === actionId;
}

/** An element by whatever it is called, as a person would have to read it. */
export function calledSo(name: string | ElementReference): string {
  return typeof name === "string" ? `"${name}"` : `"${name.actionId}" in the block "${name.blockId}"`;
}

/** The elements of blocks, in the order in which a person meets them. */
export function elementsIn(blocks: readonly unknown[]): FoundElement[] {
  return blocks.filter(isObject).flatMap((block) => {
    const own = [block.accessory, block.element, ...itemsOf(block.elements), ...itemsOf(block.actions)];
    const elements = own.filter(isObject);
    const cards = elements.filter(({ type }) => type === "card");
    const acting = elements.filter(({ action_id }) => typeof action_id === "string");
    return [
      ...acting.map((element) => ({ block, element })),
      ...elementsIn(cards),
      ...elementsIn(itemsOf(block.child_blocks)),
    ];
  });
}

export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What stands on a button. */
export function labelOf(element: unknown): string {
  return textIn(fieldOf(fieldOf(element, "text"), "text"));
}

export function actionIdOf({ element }: FoundElement): string {
  return textIn(element.action_id);
}

export function blockIdOf({ block }: FoundElement): string {
  return textIn(block.block_id);
}

/** The options of a menu, those in groups among them. */
export function optionsOf(element: unknown): JsonObject[] {
  const groups = itemsOf(fieldOf(element, "option_groups")).flatMap((group) => itemsOf(fieldOf(group, "options")));
  return [...itemsOf(fieldOf(element, "options")), ...groups].filter(isObject);
}
