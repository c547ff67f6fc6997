import { checkBlocks, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { created, ids } from "../test/entries.js";
import { startPlainService } from "../test/services.js";
import { expectWords, labelsOf, type Stage, startStage } from "../test/stage.js";

const client = (connection_id: string, client_id: string) =>
  ({ connection_id, client_id, state: "connected", role: "sendrecv" }) as const;

/** A service with two channels that have connections. */
async function startWithLive() {
  const service = await startPlainService({ extensions: true });
  const stage = await startStage({ media: service });
  service.add("events", created({ client_id: "c1" }));
  service.setLive(
    {
      channel_id: "lobby@demo",
      limits: { min: 5, max: 5 },
      clients: [client(ids.connection_id, "c1"), client("0J9V6TQ2M4EXK7C3R8ZB5HW1NB", "c2")],
    },
    { channel_id: "stage@demo" },
  );
  return { ...stage, media: service };
}

const choose = ({ next, ann, general }: Stage, message: SeenMessage, menu: string, option: string) =>
  next(ann, general, () => ann.choose(message, menu, option));

describe("/media live", () => {
  it("shows who is connected now, by channel, to that person alone", async () => {
    const stage = await startWithLive();
    const message = await stage.ask(stage.ann, "/media live");
    expect(textOf(message)).toMatch(/^Live now, project demo\n3 connections in 2 channels\./);
    expect(textOf(message)).toContain("lobby · 2 connections · 2 of 5 seats · 2 sendrecv");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
  });

  it("is refreshed in place, and never by a second message", async () => {
    const stage = await startWithLive();
    const message = await stage.ask(stage.ann, "/media live");
    stage.media.setLive({ channel_id: "lobby@demo" });
    const refreshed = await stage.press(message, "Refresh");
    expect(refreshed.ts).toBe(message.ts);
    expect(textOf(refreshed)).toContain("1 connection in 1 channel.");
    expect(stage.ann.sees(stage.general)).toHaveLength(1);
    expect(stage.ann.direct()).toEqual([]);
  });

  it("leads from a channel to its connections, from a connection to its trace, and back", async () => {
    const stage = await startWithLive();
    const all = await stage.ask(stage.ann, "/media live");
    const channel = await choose(stage, all, "Connections in…", "lobby (2)");
    expect(channel.ts).toBe(all.ts);
    expect(textOf(channel)).toContain("c1 · connection 0J9V6TQ2…W1NA · sendrecv");
    expect(labelsOf(channel)).toEqual(["Refresh", "All channels", "Trace channel", "Disconnect channel…"]);
    const trace = await choose(stage, channel, "Trace of…", `c1 · connection ${ids.connection_id}`);
    expect(textOf(trace)).toContain(`Trace of connection ${ids.connection_id}, project demo`);
    const back = await stage.press(trace, "Back to live");
    expect(textOf(back)).toContain("Live now in lobby");
    expect(textOf(await stage.press(back, "All channels"))).toContain("Live now, project demo");
  });

  it.each(["lobby", "lobby@demo"])("takes a channel by its name and its id: %s", async (name) => {
    const stage = await startWithLive();
    const message = await stage.ask(stage.ann, `/media live ${name}`);
    expect(textOf(message)).toContain("2 connections in lobby.");
    const trace = await stage.press(message, "Trace channel");
    expectWords(trace, "Trace of channel lobby, project demo", "1 line in the last hour");
  });

  it("says that nobody is connected", async () => {
    const stage = await startStage();
    const message = await stage.ask(stage.ann, "/media live");
    expect(textOf(message)).toContain("Nobody is connected.");
    expect(labelsOf(message)).toEqual(["Refresh"]);
  });

  it("fits into a message with any number of channels, names of any length, and clients without ids", async () => {
    const service = await startPlainService({ extensions: true });
    const stage = await startStage({ media: service });
    const clients = Array.from({ length: 150 }, (_, at) => ({
      connection_id: `${at}`.padStart(26, "0"),
      state: "connected" as const,
    }));
    service.setLive(
      ...Array.from({ length: 150 }, (_, at) => ({ channel_id: `${`${at}<!here>`.repeat(20)}@demo`.slice(-255) })),
      { channel_id: "lobby@demo", clients },
    );
    for (const command of ["live", "live lobby"]) {
      const message = await stage.ask(stage.ann, `/media ${command}`);
      expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
      expect(JSON.stringify(message.blocks).length).toBeLessThan(100_000);
    }
    expect(stage.logged()).not.toContain("Slack refused the blocks");
  });
});
