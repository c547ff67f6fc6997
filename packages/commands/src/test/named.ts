/** Every kind of log, as a sentence lists them. */
export const everyKind = "sessions, connections, api, media-api or webhooks";

/** Every command, as a sentence lists them. */
export const everyCommand = "logs, summary, token, status and help";

/** What is typed, the sentence that refuses it, and the nearest right command. */
export type WrongRow = readonly [typed: string, reason: string, nearest: string];
