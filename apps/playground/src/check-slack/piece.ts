/** Something that the bot shows: a message, or a view, which is a window or the app's home. */
export interface Piece {
  /** Where it comes from: `/media help: a message`. */
  readonly name: string;
  readonly kind: "message" | "view";
  /** As it is sent to Slack. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
