/** Every kind of log, as a message lists them. */
export const everyKind = "sessions, connections, api, media-api or webhooks";

/** Every command, as a message lists them. */
export const everyCommand = "logs, summary, token, status and help";

/** Typed text, the message that refuses it, and the nearest valid command. */
export type WrongRow = readonly [typed: string, reason: string, nearest: string];
