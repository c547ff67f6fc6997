import type { Json, World } from "../world/model.js";

/** What is wrong with blocks of types that this Slack does not know yet. */
export function unknownBlocks(world: World, blocks: readonly Json[], pointer: string): string[] {
  return blocks.flatMap(({ type }, index) =>
    typeof type === "string" && world.refusedBlocks.has(type)
      ? [`unsupported type: ${type} [json-pointer:${pointer}/${index}/type]`]
      : [],
  );
}

/** Faults as an answer tells them. */
export function faultsIn(errors: readonly string[]): Json {
  return { errors, response_metadata: { messages: errors.map((error) => `[ERROR] ${error}`) } };
}
