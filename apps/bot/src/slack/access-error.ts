/** The bot cannot be started so. */
export class AccessError extends Error {
  override readonly name = "AccessError";
}
