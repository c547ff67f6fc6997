import { type Answer, type Destination, type Intake, isAcknowledged } from "./intake.js";
import type { Json, Misbehaviour } from "./options.js";
import { idFor, randomFor } from "./random.js";
import type { Stamp, Timeline } from "./timeline.js";

/** A request that has been answered, or will not be. */
export interface SentRequest {
  readonly to: Destination;
  readonly body: Json;
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The answer was a 2xx: only then may anybody expect the service to know. */
  readonly acknowledged: boolean;
}

/** The events of a connection, a session or the node, sent one after another. */
export interface Lane {
  readonly id: string;
  /** How many events it has had: their ids follow from it. */
  count: number;
  /** Resolved when the last event has been answered, or put off. */
  tail: Promise<void>;
  /** Events that the next one of the lane overtakes. */
  overtaken: MediaEvent[];
  /** What it ends with: a connection with its session. */
  readonly parent: Lane | undefined;
  /** The node has died: nothing more is sent. */
  isGone: boolean;
}

interface MediaEvent {
  readonly to: "session" | "event";
  readonly type: string;
  readonly id: string;
  /** Set when the event occurs; the same each time it is sent. */
  body: Json | undefined;
  state: "new" | "acknowledged" | "lost";
  readonly make: () => Json;
  readonly onAnswer: ((answer: string) => void) | undefined;
}

/** What is to be sent. */
interface Dispatch {
  readonly type: string;
  /** The fields beside the envelope, as they are when the event occurs. */
  readonly fields: () => Json;
  /** The next event of this lane may overtake this one. */
  readonly overtakenOn?: Lane | undefined;
  readonly onAnswer?: (answer: string) => void;
}

export interface CourierOptions {
  intake: Intake;
  timeline: Timeline;
  stamp: () => Stamp;
  seed: number;
  misbehaviour: Misbehaviour;
  /** What every event bears: version, label, node_name. */
  identity: Json;
  sums: MediaSums;
  onSent: (sent: SentRequest) => void;
}

/** Sends events to the intake, with the misbehaviour that was chosen. */
export interface Courier {
  /** Sends an event after those that went before on its lane; resolves when it is answered or put off. */
  dispatch(lane: Lane, event: Dispatch): Promise<void>;
  /** Sends what still waits to be overtaken; false if nothing did. */
  release(): Promise<boolean>;
}

export const createLane = (id: string, parent?: Lane): Lane => ({
  id,
  count: 0,
  // The parent's events are sent first.
  tail: parent?.tail ?? Promise.resolve(),
  overtaken: [],
  parent,
  isGone: false,
});

const isGone = ({ isGone, parent }: Lane): boolean => isGone || parent?.isGone === true;

export function createCourier(options: CourierOptions): Courier {
  const { intake, timeline, stamp, seed, misbehaviour, identity, sums, onSent } = options;
  const waitingLanes = new Set<Lane>();

  function dispatch(lane: Lane, { type, fields, overtakenOn, onAnswer }: Dispatch): Promise<void> {
    const id = idFor(seed, "event", lane.id, lane.count++);
    const to = type.startsWith("session.") ? "session" : "event";
    const make = (): Json => ({ type, id, timestamp: stamp().text, ...identity, ...fields() });
    const event: MediaEvent = { to, type, id, body: undefined, state: "new", make, onAnswer };
    lane.tail = lane.tail.then(() => carry(lane, event, overtakenOn));
    return lane.tail;
  }

  async function carry(lane: Lane, event: MediaEvent, overtakenOn: Lane | undefined): Promise<void> {
    if (isGone(lane)) return;
    const { outOfOrder, late, twice, delayMs } = mishapOf(event.id, misbehaviour);
    if (outOfOrder && overtakenOn) {
      event.body = event.make();
      overtakenOn.overtaken.push(event);
      waitingLanes.add(overtakenOn);
      return;
    }
    if (late) {
      event.body = event.make();
      timeline.soonerOrLater(delayMs, async () => {
        if (isGone(lane)) return;
        await deliver(event);
        if (twice) await deliver(event);
      });
    } else {
      await deliver(event);
      if (twice === "at once") await deliver(event);
      if (twice === "later") {
        timeline.soonerOrLater(delayMs, async () => {
          if (!isGone(lane)) await deliver(event);
        });
      }
    }
    await sendOvertaken(lane);
  }

  async function sendOvertaken(lane: Lane): Promise<void> {
    waitingLanes.delete(lane);
    for (let event = lane.overtaken.shift(); event; event = lane.overtaken.shift()) {
      if (!isGone(lane)) await deliver(event);
    }
  }

  async function deliver(event: MediaEvent): Promise<void> {
    const answer = await intake.post(event.to, () => {
      event.body ??= event.make();
      return JSON.stringify(event.body);
    });
    // Broken off while it still waited for its turn: it has never been sent.
    if (!event.body) return;
    const acknowledged = isAcknowledged(answer);
    onSent({ to: event.to, body: event.body, status: answer.status, acknowledged });
    count(event, answer);
    if (acknowledged) event.onAnswer?.(answer.text);
  }

  function count(event: MediaEvent, answer: Answer): void {
    sums.requests++;
    sums.events[event.type] ??= { sent: 0, acknowledged: 0, lost: 0 };
    const ofType: EventSums | undefined = sums.events[event.type];
    if (!ofType || event.state === "acknowledged") return;
    if (event.state === "new") ofType.sent++;
    if (isAcknowledged(answer)) {
      if (event.state === "lost") ofType.lost--;
      ofType.acknowledged++;
      event.state = "acknowledged";
      countEnded(event);
    } else if (event.state === "new") {
      ofType.lost++;
      event.state = "lost";
    }
  }

  function countEnded({ type, body }: MediaEvent): void {
    if (type === "session.destroyed") sums.sessions++;
    if (type !== "connection.destroyed") return;
    sums.connections++;
    const { total_received_bytes, total_sent_bytes } = Object(body?.data);
    sums.receivedBytes += Number(total_received_bytes);
    sums.sentBytes += Number(total_sent_bytes);
  }

  return {
    dispatch,
    async release() {
      const lanes = [...waitingLanes];
      for (const lane of lanes) {
        // In its turn: else it could overtake what it is to be overtaken by.
        lane.tail = lane.tail.then(() => sendOvertaken(lane));
      }
      await Promise.all(lanes.map(({ tail }) => tail));
      return lanes.length > 0;
    },
  };
}

/** What happens to one event on its way. */
export interface Mishap {
  readonly twice: "at once" | "later" | undefined;
  readonly late: boolean;
  readonly outOfOrder: boolean;
  readonly delayMs: number;
}

/** The id decides: so the same event meets the same mishap, and what else is drawn does not change with the shares. */
export function mishapOf(
  eventId: string,
  { twice = 0, late = 0, outOfOrder = 0, lateMs = 2000 }: Misbehaviour,
): Mishap {
  const random = randomFor("mishap", eventId);
  const again = random.next() < twice;
  const soon = random.next() < 0.5;
  return {
    twice: again ? (soon ? "at once" : "later") : undefined,
    late: random.next() < late,
    outOfOrder: random.next() < outOfOrder,
    delayMs: random.int(1, Math.max(1, lateMs)),
  };
}

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
  /** The refused ones that had no answer, or none with 2xx. */
  unanswered: number;
  /** Sessions with an acknowledged `session.destroyed`. */
  sessions: number;
  /** Connections with an acknowledged `connection.destroyed`. */
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
