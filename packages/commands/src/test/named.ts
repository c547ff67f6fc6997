/** Every kind of log, as a message lists them. */
export const everyKind = "sessions, connections, api, media-api, webhooks or events";

/** Every command, as a message lists them. */
export const everyCommand = "logs, summary, trace, why, live, token, status and help";

/** Typed text, the message that refuses it, and the nearest valid command. */
export type WrongRow = readonly [typed: string, reason: string, nearest: string];
