import { type Answer, type Destination, Intake, isAcknowledged } from "./intake.js";
import type { Json, Misbehaviour, Settings } from "./options.js";
import { idFor, randomFor } from "./random.js";
import { createStamps, type Stamp, Timeline } from "./timeline.js";

/** The fields of every request. */
export const IDENTITY = { version: "2026.1.0", label: "fake-media" };

/** A request that was answered or lost. */
export interface SentRequest {
  readonly to: Destination;
  readonly body: Json;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Whether the response was a 2xx: only then must the service know the event. */
  readonly acknowledged: boolean;
}

/** The events of a connection, a session or the node, sent in sequence. */
export interface Lane {
  readonly id: string;
  /** The number of its events, from which their ids follow. */
  count: number;
  /** Resolves when the last event has been answered or delayed. */
  tail: Promise<void>;
  /** Events that are sent after the next one of the lane. */
  overtaken: MediaEvent[];
  /** The lane that it ends with: a connection's session. */
  readonly parent: Lane | undefined;
  /** Whether the node has died: nothing more is sent. */
  isGone: boolean;
}

interface MediaEvent {
  readonly to: "session" | "event";
  readonly type: string;
  readonly id: string;
  /** Set when the event occurs; identical each time it is sent. */
  body: Json | undefined;
  state: "new" | "acknowledged" | "lost";
  readonly make: () => Json;
  readonly onAnswer: ((answer: string) => void) | undefined;
}

/** An event to send. */
interface Dispatch {
  readonly type: string;
  readonly nodeName: string;
  /** The fields beside the envelope, evaluated when the event occurs. */
  readonly fields: () => Json;
  /** The lane whose next event may overtake this one. */
  readonly overtakenOn?: Lane | undefined;
  readonly onAnswer?: (answer: string) => void;
}

/** A lane without events; its parent's events are sent first. */
export const createLane = (id: string, parent?: Lane): Lane => ({
  id,
  count: 0,
  tail: parent?.tail ?? Promise.resolve(),
  overtaken: [],
  parent,
  isGone: false,
});

const isGone = ({ isGone, parent }: Lane): boolean => isGone || parent?.isGone === true;

/** Sends events to the intake, with the configured misbehaviour. */
export class Courier {
  /** All answered or lost requests, oldest first; empty if records are not kept. */
  readonly sent: SentRequest[] = [];
  readonly sums = noSums();
  readonly now: () => number;
  readonly stamp: () => Stamp;
  readonly timeline: Timeline;
  readonly #intake: Intake;
  readonly #options: Settings;
  readonly #waitingLanes = new Set<Lane>();

  constructor(options: Settings) {
    const { time, now, sockets } = options;
    this.#options = options;
    this.timeline = new Timeline(time);
    const began = now();
    this.now = time === "real" ? now : () => began + this.timeline.time();
    this.stamp = createStamps(this.now);
    // One at a time in virtual time, so that the order of responses does not matter.
    this.#intake = new Intake({ ...options, sockets: time === "real" ? sockets : 1 });
  }

  /** Sends a request, whose body is made just before it is sent. */
  async post(to: Destination, makeBody: () => Json): Promise<{ answer: Answer; body: Json | undefined }> {
    let body: Json | undefined;
    const answer = await this.#intake.post(to, () => {
      body = makeBody();
      return JSON.stringify(body);
    });
    if (body && this.#options.keepsRecords) {
      this.sent.push({ to, body, status: answer.status, acknowledged: isAcknowledged(answer) });
    }
    return { answer, body };
  }

  /** Ends all connections to the intake; `abrupt` also those that are in use. */
  close({ abrupt = false } = {}): void {
    this.timeline.stop();
    if (abrupt) this.#intake.abort();
    else this.#intake.close();
  }

  /** Sends an event after the earlier ones of its lane; resolves when it is answered or delayed. */
  dispatch(lane: Lane, { type, nodeName, fields, overtakenOn, onAnswer }: Dispatch): Promise<void> {
    const id = idFor(this.#options.seed, "event", lane.id, lane.count++);
    const to = type.startsWith("session.") ? "session" : "event";
    const make = (): Json => ({
      type,
      id,
      timestamp: this.stamp().text,
      ...IDENTITY,
      node_name: nodeName,
      ...fields(),
    });
    const event: MediaEvent = { to, type, id, body: undefined, state: "new", make, onAnswer };
    lane.tail = lane.tail.then(() => this.#carry(lane, event, overtakenOn));
    return lane.tail;
  }

  /** Sends the events that wait to be overtaken; returns false if there were none. */
  async release(): Promise<boolean> {
    const lanes = [...this.#waitingLanes];
    for (const lane of lanes) {
      // In sequence: otherwise it could overtake the event that should overtake it.
      lane.tail = lane.tail.then(() => this.#sendOvertaken(lane));
    }
    await Promise.all(lanes.map(({ tail }) => tail));
    return lanes.length > 0;
  }

  async #carry(lane: Lane, event: MediaEvent, overtakenOn: Lane | undefined): Promise<void> {
    if (isGone(lane)) return;
    const { outOfOrder, late, twice, delayMs } = mishapOf(event.id, this.#options.misbehaviour);
    if (outOfOrder && overtakenOn) {
      event.body = event.make();
      overtakenOn.overtaken.push(event);
      this.#waitingLanes.add(overtakenOn);
      return;
    }
    const later = (times: number): void =>
      this.timeline.after(
        delayMs,
        async () => {
          for (let time = 0; time < times && !isGone(lane); time++) await this.#deliver(event);
        },
        { canHurry: true },
      );
    if (late) {
      event.body = event.make();
      later(twice ? 2 : 1);
    } else {
      await this.#deliver(event);
      if (twice === "at once") await this.#deliver(event);
      if (twice === "later") later(1);
    }
    await this.#sendOvertaken(lane);
  }

  async #sendOvertaken(lane: Lane): Promise<void> {
    this.#waitingLanes.delete(lane);
    for (const event of lane.overtaken.splice(0)) if (!isGone(lane)) await this.#deliver(event);
  }

  async #deliver(event: MediaEvent): Promise<void> {
    const { answer, body } = await this.post(event.to, () => {
      event.body ??= event.make();
      return event.body;
    });
    // Aborted while it was queued: it was never sent.
    if (!body) return;
    this.#count(event, isAcknowledged(answer));
    if (isAcknowledged(answer)) event.onAnswer?.(answer.text);
  }

  #count(event: MediaEvent, acknowledged: boolean): void {
    const { sums } = this;
    const { type, body, state } = event;
    sums.requests++;
    const ofType = sums.events[type] ?? { sent: 0, acknowledged: 0, lost: 0 };
    sums.events[type] = ofType;
    if (state === "acknowledged") return;
    if (state === "new") ofType.sent++;
    if (!acknowledged) {
      if (state === "new") ofType.lost++;
      event.state = "lost";
      return;
    }
    if (state === "lost") ofType.lost--;
    ofType.acknowledged++;
    event.state = "acknowledged";
    if (type === "session.destroyed") sums.sessions++;
    if (type !== "connection.destroyed") return;
    sums.connections++;
    const { total_received_bytes, total_sent_bytes } = Object(body?.data);
    sums.receivedBytes += Number(total_received_bytes);
    sums.sentBytes += Number(total_sent_bytes);
  }
}

/** The misbehaviour for one event. */
interface Mishap {
  readonly twice: "at once" | "later" | undefined;
  readonly late: boolean;
  readonly outOfOrder: boolean;
  readonly delayMs: number;
}

/** The id decides: the same event always has the same mishap, and other random values do not depend on the shares. */
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

/** The totals of the media server, which the service's lists must match. */
export type MediaSums = ReturnType<typeof noSums>;

/** The initial totals. */
function noSums() {
  const refused: Record<string, number> = {};
  const events: Record<string, { sent: number; acknowledged: number; lost: number }> = {};
  return {
    /** Clients that tried to connect. */
    attempts: 0,
    allowed: 0,
    /** The number of refused clients, by reason. */
    refused,
    /** The refused clients without a 2xx response. */
    unanswered: 0,
    /** Sessions with an acknowledged `session.destroyed`. */
    sessions: 0,
    /** Connections with an acknowledged `connection.destroyed`. */
    connections: 0,
    /** Bytes of these connections. */
    receivedBytes: 0,
    sentBytes: 0,
    /** Requests with an event, including every attempt of `twice`. */
    requests: 0,
    /** By type. An event that was sent twice counts once; one that no 2xx has answered is lost. */
    events,
  };
}

/** The number of lost requests: events, and calls to auth without a valid response. */
export function lostOf(sums: MediaSums): number {
  return Object.values(sums.events).reduce((sum, { lost }) => sum + lost, sums.unanswered);
}
