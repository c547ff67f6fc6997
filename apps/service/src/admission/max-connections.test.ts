import { afterAll, describe, expect, it } from "vitest";
import { startTestIntake } from "../test/intake-harness.js";
import { connectionCreated, connectionDestroyed, connectionOf, momentAt, newId } from "../test/media-events.js";

const { ask, mint, tell, seats, metric } = await startTestIntake({ atEnd: afterAll });

/** Asks for a new channel with a token for N connections, created by the service's own operation. */
async function inChannel(most?: number, channelId = `${newId()}@demo`) {
  const token = await mint({ max_channel_connections: most });
  return { channelId, askWith: (reported?: number) => ask({ token, channelId, reported }) };
}

const allowed = { allowed: true };
const full = (connections: number) => ({
  allowed: false,
  reason: expect.stringMatching(new RegExp(`connections? in the channel, which has ${connections}\\b`)),
});

describe("the specification: max_channel_connections", () => {
  it("a connection using a token whose value is N cannot be made when the channel already has N or more connections.", async () => {
    const refused = () => metric('media_admissions_total{outcome="channel-full"}');
    const before = await refused();
    for (const most of [1, 2, 5, 5000]) {
      const askOnce = async (reported: number) => (await inChannel(most)).askWith(reported);
      expect(await askOnce(0)).toEqual(allowed);
      expect(await askOnce(most - 1)).toEqual(allowed);
      expect(await askOnce(most)).toEqual(full(most));
      expect(await askOnce(most + 1)).toEqual(full(most + 1));
    }
    expect(await refused()).toBe(before + 8);
  });

  it("When max_channel_connections is 0, every connection attempt with that token fails.", async () => {
    const { askWith } = await inChannel(0);
    const before = await seats();
    const zero = { allowed: false, reason: expect.stringMatching(/is 0/) };
    for (const reported of [undefined, 0, 1, 5000]) expect(await askWith(reported)).toMatchObject(zero);
    expect(await seats()).toEqual(before);
  });

  it("applies per connection: a client without such a token is admitted to a channel that is full for others.", async () => {
    const { channelId, askWith } = await inChannel(1);
    expect(await askWith(2)).toEqual(full(2));
    expect(await (await inChannel(3, channelId)).askWith(2)).toEqual(allowed);
    expect(await (await inChannel(undefined, channelId)).askWith(5000)).toEqual(allowed);
  });
});

describe("the number of connections in a channel", () => {
  /** Reports connections that were created before the first admission request. */
  const connect = async (channelId: string, count: number) => {
    const createdAt = momentAt(-60_000);
    const connections = Array.from({ length: count }, () => connectionOf({ channelId, createdAt }));
    await tell(...connections.map(connectionCreated));
    return connections;
  };

  it("is the count that the media server reports, even if the events reported more or fewer", async () => {
    const { channelId, askWith } = await inChannel(2);
    await connect(channelId, 4);
    expect(await askWith(1)).toEqual(allowed);
    expect(await (await inChannel(7, channelId)).askWith(6)).toEqual(full(7));
  });

  it("is the count from the events if the media server reports none", async () => {
    const { channelId, askWith } = await inChannel(3);
    const [first] = await connect(channelId, 3);
    expect(await askWith()).toEqual(full(3));
    if (first) await tell(connectionDestroyed(first));
    expect(await askWith()).toEqual(allowed);
    expect(await askWith()).toEqual(full(3));
  });

  it("counts admitted clients that have not connected yet, and no refused ones", async () => {
    const { channelId, askWith } = await inChannel(3);
    for (let client = 0; client < 5; client++) await ask({ token: "x", channelId, reported: 0 });
    for (let client = 0; client < 3; client++) expect(await askWith(0)).toEqual(allowed);
    expect(await askWith(0)).toEqual(full(3));
  });

  it("excludes other channels, whatever characters their names contain", async () => {
    const names = ["", " ", "lobby", "lobby ", "Lobby", "lobby@x", "lo\0by", "lo\0", "é", "e\u0301", '"', "%", "🎥"];
    for (const name of names) {
      const { askWith } = await inChannel(1, `${name}@demo`);
      expect(await askWith(0), JSON.stringify(name)).toEqual(allowed);
      expect(await askWith(0), JSON.stringify(name)).toEqual(full(1));
    }
  });
});
