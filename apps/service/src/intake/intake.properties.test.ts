import fc from "fast-check";
import { expect, it } from "vitest";
import { startTestIntake } from "../test/intake-harness.js";
import {
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  connectionOf,
  connectionUpdated,
  type MediaEvent,
  momentAt,
  newId,
  sessionCreated,
  sessionDestroyed,
  type TestConnection,
  type TestSession,
} from "../test/media-events.js";

/** How a connection ends, if at all. */
type End = "destroyed" | "failed" | "session" | "never";

interface PlannedConnection {
  readonly end: End;
  readonly updates: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** The consecutive sessions of each channel; only a channel's last session may stay open. */
type Plan = readonly (readonly (readonly PlannedConnection[])[])[];

const planned = fc.record({
  end: fc.constantFrom<End>("destroyed", "destroyed", "destroyed", "failed", "session", "never"),
  updates: fc.nat({ max: 2 }),
  receivedBytes: fc.maxSafeNat(),
  sentBytes: fc.nat(),
});
const plan: fc.Arbitrary<Plan> = fc.array(
  fc.array(fc.array(planned, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 3 },
);

/** The events of a plan, and their expected outcome. */
interface Story {
  readonly events: MediaEvent[];
  readonly ended: TestConnection[];
  readonly over: TestSession[];
  /** The ids of the connections that have not ended. */
  readonly alive: string[];
}

function tellStory(channels: Plan, project: string): Story {
  const story: Story = { events: [], ended: [], over: [], alive: [] };
  channels.forEach((sessions, channel) => {
    sessions.forEach((connections, nth) => {
      const session = connectionOf({
        channelId: `room ${channel}@${project}`,
        createdAt: momentAt(nth * 600_000),
        destroyedAt: momentAt(nth * 600_000 + 500_000),
      });
      const isLast = nth === sessions.length - 1;
      // Only a channel's last session can stay open.
      const goesOn = isLast && connections.some(({ end }) => end === "never");
      story.events.push(sessionCreated(session));
      for (const [at, known] of connections.entries()) tellConnection(story, { known, session, goesOn, at });
      if (goesOn) return;
      story.over.push(session);
      story.events.push(sessionDestroyed(session, { max: connections.length, total: connections.length + nth }));
    });
  });
  return story;
}

function tellConnection(
  { events, ended, alive }: Story,
  { known, session, goesOn, at }: { known: PlannedConnection; session: TestSession; goesOn: boolean; at: number },
): void {
  const begin = Date.parse(session.createdAt) - Date.parse(momentAt(0)) + at;
  const connection = connectionOf({
    ...session,
    ...known,
    connectionId: newId(),
    createdAt: momentAt(begin),
    destroyedAt: momentAt(begin + at * 59_999),
  });
  events.push(connectionCreated(connection));
  for (let update = 0; update < known.updates; update++) events.push(connectionUpdated(connection));
  if (known.end === "destroyed") {
    ended.push(connection);
    events.push(connectionDestroyed(connection));
  } else if (known.end === "failed") {
    events.push({ ...connectionFailed(connection), channel_id: connection.channelId });
  } else if (goesOn) {
    alive.push(connection.connectionId);
  }
}

const sum = (numbers: readonly number[]): bigint => numbers.reduce((all, one) => all + BigInt(one), 0n);

it("for any order, repetition and concurrency of events, an ended connection or session is listed once and has no seat", async () => {
  const test = await startTestIntake({ env: { MEDIA_LISTINGS_PER_MINUTE: "0" } });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      plan,
      fc.infiniteStream(fc.nat()),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 30 })),
      async (channels, order, repeats, haste) => {
        const project = `run-${++run}`;
        const key = await test.createKey(project);
        const { events, ended, over, alive } = tellStory(channels, project);
        const again = repeats.flatMap((at) => events[at % events.length] ?? []);
        const queue = [...events, ...again]
          .map((event) => ({ event, at: order.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ event }) => event);
        while (queue.length > 0) {
          await Promise.all(queue.splice(0, haste.next().value).map((event) => test.tell(event)));
        }

        const listed = await test.listed(key);
        const idsOf = <Entry>(entries: readonly Entry[], id: (entry: Entry) => string) => entries.map(id).sort();
        expect(idsOf(listed.connections, (entry) => entry.connection_id)).toEqual(
          idsOf(ended, ({ connectionId }) => connectionId),
        );
        expect(idsOf(listed.sessions, (entry) => entry.session_id)).toEqual(idsOf(over, ({ sessionId }) => sessionId));
        expect(sum(listed.connections.map((entry) => entry.total_received_bytes))).toBe(
          sum(ended.map(({ receivedBytes }) => receivedBytes)),
        );
        expect(sum(listed.connections.map((entry) => entry.total_sent_bytes))).toBe(
          sum(ended.map(({ sentBytes }) => sentBytes)),
        );
        expect(await test.seats(project)).toEqual(alive.sort());
      },
    ),
    { numRuns: 20 },
  );
});

/** Ids with any character that JSON allows, including those that are difficult for databases. */
const odd = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom("\0", "a", " ", '"', "\\", "'", "\ud800", "\udc00", "é", "🎥"),
    minLength: 1,
    maxLength: 9,
  }),
);

it("for any characters in its ids, an ended connection or session is listed once, as it was sent, and has no seat", async () => {
  const test = await startTestIntake({ env: { MEDIA_LISTINGS_PER_MINUTE: "0" } });
  let run = 0;
  const oddIds = fc.record({ event: odd, session: odd, connection: odd, client: odd, channel: odd });
  await fc.assert(
    fc.asyncProperty(oddIds, async ({ event: id, session: sessionId, connection: connectionId, client, channel }) => {
      const project = `odd-${++run}`;
      const key = await test.createKey(project);
      const name = channel.toWellFormed();
      const connection = connectionOf({ channelId: `${name}@${project}`, sessionId, connectionId });
      const ended = { ...connectionDestroyed(connection), id, client_id: client };
      const over = { ...sessionDestroyed(connection), id: `${id}'` };
      await test.tell(connectionCreated(connection), connectionUpdated(connection), ended, ended, over, over);
      const { connections, sessions } = await test.listed(key);
      expect(connections).toMatchObject([{ connection_id: connectionId, client_id: client, session_id: sessionId }]);
      expect(sessions).toMatchObject([{ channel_id: connection.channelId, session_id: sessionId }]);
      expect(await test.seats(project)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
