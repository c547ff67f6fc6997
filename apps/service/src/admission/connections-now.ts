/** What is known of a channel when a client asks to be let in. */
export interface ChannelState {
  /** How many connections the media server says there are; undefined where it does not say. */
  readonly reported: number | undefined;
  /** How many we have seen come and not go. */
  readonly own: number;
  /** How many of those came after the client asked: the media server could not count them yet. */
  readonly later: number;
  /** How many were let in and have not been seen yet. */
  readonly granted: number;
}

/**
 * How many connections a channel has, or is about to have. The media server's own number is the truth of the moment when
 * the client asked; of many who ask at once, some are answered when others have already connected.
 */
export function connectionsNow({ reported, own, later, granted }: ChannelState): number {
  if (reported === undefined) return own + granted;
  return Math.max(reported, Math.min(own, reported + later)) + granted;
}
