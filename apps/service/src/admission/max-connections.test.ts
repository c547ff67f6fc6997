import { describe, expect, it } from "vitest";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { connectionCreated, connectionDestroyed, connectionOf, momentAt, newId } from "../test/media-events.js";

/** A token with `max_channel_connections` set to N, created by the service's own operation. */
const tokenOf = ({ mint }: TestIntake, max_channel_connections?: number): Promise<string> =>
  mint({ max_channel_connections });

const full = (connections: number) => ({
  allowed: false,
  reason: expect.stringMatching(new RegExp(`connections? in the channel, which has ${connections}\\b`)),
});

describe("the specification: max_channel_connections", () => {
  it("a connection using a token whose value is N cannot be made when the channel already has N or more connections.", async () => {
    const test = await startTestIntake();
    for (const most of [1, 2, 5, 5000]) {
      const token = await tokenOf(test, most);
      const ask = (reported: number) => test.ask({ token, reported, channelId: `${newId()}@demo` });
      expect(await ask(0)).toEqual({ allowed: true });
      expect(await ask(most - 1)).toEqual({ allowed: true });
      expect(await ask(most)).toEqual(full(most));
      expect(await ask(most + 1)).toEqual(full(most + 1));
    }
  });

  it("For N = 1, a connection cannot be made if the channel already has at least 1 connection.", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 1);
    expect(await test.ask({ token, reported: 1 })).toEqual(full(1));
    expect(await test.ask({ token, reported: 0 })).toEqual({ allowed: true });
    expect(await test.metric('media_admissions_total{outcome="channel-full"}')).toBe(1);
  });

  it("When max_channel_connections is 0, every connection attempt with that token fails.", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 0);
    for (const reported of [undefined, 0, 1, 5000]) {
      expect(await test.ask({ token, reported })).toMatchObject({
        allowed: false,
        reason: expect.stringMatching(/is 0/),
      });
    }
    expect(await test.seats()).toEqual([]);
  });

  it("applies per connection: a client without such a token is admitted to a channel that is full for others.", async () => {
    const test = await startTestIntake();
    const [one, three, any] = [await tokenOf(test, 1), await tokenOf(test, 3), await tokenOf(test)];
    expect(await test.ask({ token: one, reported: 2 })).toEqual(full(2));
    expect(await test.ask({ token: three, reported: 2 })).toEqual({ allowed: true });
    expect(await test.ask({ token: any, reported: 5000 })).toEqual({ allowed: true });
  });
});

describe("the number of connections in a channel", () => {
  /** Reports connections that were created before the first admission request. */
  const connect = async ({ tell }: TestIntake, count: number) => {
    const connections = Array.from({ length: count }, () => connectionOf({ createdAt: momentAt(-60_000) }));
    await tell(...connections.map(connectionCreated));
    return connections;
  };

  it("is the count that the media server reports, even if the events reported more or fewer", async () => {
    const test = await startTestIntake();
    await connect(test, 4);
    expect(await test.ask({ token: await tokenOf(test, 2), reported: 1 })).toEqual({ allowed: true });
    expect(await test.ask({ token: await tokenOf(test, 7), reported: 6 })).toEqual(full(7));
  });

  it("is the count from the events if the media server reports none", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 3);
    const [first] = await connect(test, 3);
    expect(await test.ask({ token })).toEqual(full(3));
    if (first) await test.tell(connectionDestroyed(first));
    expect(await test.ask({ token })).toEqual({ allowed: true });
    expect(await test.ask({ token })).toEqual(full(3));
  });

  it("counts admitted clients that have not connected yet", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 3);
    for (let client = 0; client < 3; client++)
      expect(await test.ask({ token, reported: 0 })).toEqual({ allowed: true });
    expect(await test.ask({ token, reported: 0 })).toEqual(full(3));
  });

  it("does not count refused clients", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 1);
    for (let client = 0; client < 5; client++) await test.ask({ token: "x", reported: 0 });
    expect((await test.ask({ token, reported: 1 })).allowed).toBe(false);
    expect(await test.ask({ token, reported: 0 })).toEqual({ allowed: true });
  });

  it("excludes other channels, whatever characters their names contain", async () => {
    const test = await startTestIntake();
    const token = await tokenOf(test, 1);
    const names = ["", " ", "lobby", "lobby ", "Lobby", "lobby@x", "lo\0by", "lo\0", "é", "e\u0301", '"', "%", "🎥"];
    for (const name of names) {
      const channelId = `${name}@demo`;
      const who = { token, channelId, reported: 0 };
      expect(await test.ask(who), JSON.stringify(name)).toEqual({ allowed: true });
      expect(await test.ask(who), JSON.stringify(name)).toEqual(full(1));
    }
  });
});
