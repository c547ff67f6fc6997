import type { CommandSpec } from "./spec.js";

/** Whether what is typed of a command can mean another thing in another time zone. Filters can: entries have times. */
export function isTimed({ filters = false, arguments: words = {}, options = {} }: CommandSpec): boolean {
  return filters || [...Object.values(words), ...Object.values(options)].some(({ value }) => value.zoned);
}
