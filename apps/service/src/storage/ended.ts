/** What has ended, as it is kept: the id of a connection and of a session may be the same. */
export const endedKey = (kind: "connection" | "session", id: string): string => `${kind[0]} ${id}`;

/** Longer than an entry is listed, or an event is ever late. */
export const ENDED_MS: number = 31 * 24 * 60 * 60 * 1000;
