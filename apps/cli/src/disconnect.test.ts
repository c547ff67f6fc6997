import { describe, expect, it } from "vitest";
import { startOperations } from "./test/operations.js";

const connection_id = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";
const requestedBy = "cli:ann@laptop";
const ofChannel = { target: "Media_20151104.DisconnectChannel", requestedBy, body: { channel_id: "lobby@demo" } };
const ofConnection = {
  target: "Media_20151104.DisconnectConnection",
  requestedBy,
  body: { channel_id: "lobby@demo", connection_id },
};

/** A service with two connections in a channel. */
async function startLobby() {
  const service = await startOperations();
  const clients = [connection_id, "other"].map((id) => ({ connection_id: id, state: "connected" as const }));
  service.fake.setLive({ channel_id: "lobby@demo", clients });
  return service;
}

describe("media disconnect", () => {
  it("says how many connections it would end, asks, and ends them", async () => {
    const { atTerminal, mediaCalls } = await startLobby();
    const ending = atTerminal("disconnect", "lobby");
    await ending.answer("[y/N]", "y\n");
    const { code, out, err } = await ending.ended;
    expect(code).toBe(0);
    expect(err).toContain("2 connections are in lobby now.");
    expect(err).toContain("Disconnect channel lobby in project demo? [y/N]");
    expect(out).toContain("✓ All connections of lobby are ended.");
    expect(mediaCalls).toEqual([ofChannel]);
  });

  it("ends one connection by its id", async () => {
    const { atTerminal, media, mediaCalls } = await startLobby();
    const ending = atTerminal("disconnect", `connection:${connection_id}`, "channel:lobby");
    await ending.answer("[y/N]", "y\n");
    expect((await ending.ended).code).toBe(0);
    const { out } = await media("disconnect", "lobby", `connection:${connection_id}`, "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ disconnected: true, channel_id: "lobby@demo", connection_id });
    expect(mediaCalls).toEqual([ofConnection, ofConnection]);
  });

  it.each([
    [["disconnect", "empty"], "Nobody is connected in empty. Nothing was done."],
    [["disconnect", "lobby", "connection:gone"], "There is no such connection in lobby. Nothing was done."],
  ])("asks nothing if there is nothing to end: %j", async (words, message) => {
    const { atTerminal, mediaCalls } = await startLobby();
    const { code, err } = await atTerminal(...words).ended;
    expect({ code, err }).toEqual({ code: 0, err: `${message}\n` });
    expect(mediaCalls).toEqual([]);
  });

  it("ends nothing without a terminal and without --yes, or after no", async () => {
    const { atTerminal, media, mediaCalls, paths } = await startLobby();
    expect(await media("disconnect", "lobby")).toMatchObject({ code: 2, out: "" });
    expect(paths()).toEqual([]);
    const ending = atTerminal("disconnect", "lobby");
    await ending.answer("[y/N]", "n\n");
    expect((await ending.ended).code).toBe(1);
    expect(mediaCalls).toEqual([]);
  });

  it.each([
    [
      {
        status: 503,
        problem: { detail: "This service knows no media server. Its operator has to set MEDIA_UPSTREAM_URL." },
      },
      "The service answered 503: This service knows no media server.",
    ],
    [
      { status: 404, problem: { detail: "There is nothing at /media-api." } },
      "does not pass on calls to the media server",
    ],
    [{ status: 404 }, "The media server does not know this connection"],
    [{ status: 500 }, "The media server answered 500, and may not have ended the connections."],
  ])("reports why nothing was ended: %j", async (answer, message) => {
    const { media, answerMedia } = await startLobby();
    answerMedia(answer);
    const { code, out, err } = await media("disconnect", "lobby", `connection:${connection_id}`, "--yes");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });

  it("reports that it may have ended connections if the answer is lost", async () => {
    const { media, answerMedia } = await startLobby();
    answerMedia("lost");
    const { code, out, err } = await media("disconnect", "lobby", "--yes");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("It may have ended connections anyway: see media live.");
  });
});
