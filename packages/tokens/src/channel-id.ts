import { mustBe } from "./rules.js";

// What the media server takes.
const MAX_BYTES = 255;

/** The two parts of a channel id. */
export interface ChannelIdParts {
  /** Any text, `@` included; may be empty. */
  name: string;
  /** The project that the channel belongs to. */
  projectId: string;
}

/**
 * Splits `<channel_name>@<project_id>` at its last `@`. Gives `undefined` for what is no channel id.
 *
 * @example splitChannelId("ann@home@demo") // { name: "ann@home", projectId: "demo" }
 */
export function splitChannelId(channelId: string): ChannelIdParts | undefined {
  if (channelIdFault(channelId) !== undefined) return undefined;
  const at = channelId.lastIndexOf("@");
  return { name: channelId.slice(0, at), projectId: channelId.slice(at + 1) };
}

/** What is wrong with a channel id; nothing where it is right. */
export function channelIdFault(value: unknown): string | undefined {
  if (typeof value !== "string" || !/@[^@]+$/.test(value)) {
    return mustBe("<channel_name>@<project_id>, such as lobby@demo", value);
  }
  if (!value.isWellFormed()) return "Must be well-formed Unicode; this string has half of a surrogate pair.";
  // Most are so short that their bytes need not be counted: no character has more than three for each of its units.
  if (value.length * 3 <= MAX_BYTES) return undefined;
  const bytes = new TextEncoder().encode(value).length;
  return bytes > MAX_BYTES ? `Must have at most ${MAX_BYTES} bytes in UTF-8, but has ${bytes}.` : undefined;
}
