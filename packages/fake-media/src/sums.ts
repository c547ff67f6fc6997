/** How the events of one type fared. An event that was sent twice counts once. */
export interface EventSums {
  sent: number;
  /** Answered with 2xx, at least once. */
  acknowledged: number;
  /** Answered with anything else, or not at all. */
  lost: number;
}

/** What the media server says it has sent: what the service lists must agree with it. */
export interface MediaSums {
  /** Clients that wanted to connect. */
  attempts: number;
  allowed: number;
  /** How many were refused, by the reason. */
  refused: Record<string, number>;
  /** Of the refused, those where the intake's answer was no 2xx or none. */
  unanswered: number;
  /** Sessions whose `session.destroyed` was acknowledged. */
  sessions: number;
  /** Connections whose `connection.destroyed` was acknowledged. */
  connections: number;
  /** Bytes of these connections. */
  receivedBytes: number;
  sentBytes: number;
  /** Requests that carried an event, all tries of `twice` among them. */
  requests: number;
  events: Record<string, EventSums>;
}

/** The sums as they begin. */
export function noSums(): MediaSums {
  return {
    attempts: 0,
    allowed: 0,
    refused: {},
    unanswered: 0,
    sessions: 0,
    connections: 0,
    receivedBytes: 0,
    sentBytes: 0,
    requests: 0,
    events: {},
  };
}

/** Everything that did not arrive: events, and calls to auth that had no answer to obey. */
export function lostOf(sums: MediaSums): number {
  return Object.values(sums.events).reduce((sum, { lost }) => sum + lost, sums.unanswered);
}
