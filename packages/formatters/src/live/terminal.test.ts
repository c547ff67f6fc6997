import { describe, expect, it } from "vitest";
import { formatLive } from "../terminal/index.js";
import { now } from "../test/samples.js";
import { live, liveLobby } from "../test/why-samples.js";

describe("live channels in the terminal", () => {
  it("are a table with their roles, seats and since when", () => {
    expect(formatLive(live, { now, width: 100 }).split("\n")).toEqual([
      "Live now",
      "8 connections in 3 channels; 1 client was admitted and has not connected yet.",
      "",
      "Channel              Connections  Seats     Roles                   Since (UTC)",
      "lobby                          5  5 of 5    3 sendrecv, 2 recvonly  13:47:02 · 18 min ago",
      "stage 2 & backstage            2  3 of 5–8  2 recvonly              Nov 20 22:12:40 · 15 h ago",
      "会議室                         1  –         1 sendonly              14:05:29 · 1 s ago",
    ]);
  });

  it("have a table of their clients if one was asked for", () => {
    const options = {
      now,
      width: 120,
      channel: "lobby",
      title: "Live in lobby",
      timeZone: "Asia/Tokyo",
      note: "Refreshed.",
    };
    const omitted = liveLobby.channels.map((channel) => ({ ...channel, omitted_clients: 7 }));
    expect(formatLive({ ...liveLobby, channels: omitted }, options).split("\n")).toEqual([
      "Live in lobby",
      "2 connections in lobby; 1 client was admitted and has not connected yet.",
      "",
      "Channel  Connections  Seats   Roles       Since",
      "lobby              2  3 of 5  2 sendrecv  22:47:02 · 18 min ago",
      "",
      "Client          State                        Since                  Role      Connection     Node",
      "c1              admitted, not connected yet  23:05:28 · 1 s ago     sendrecv  01KAKV0D…9T1V  –",
      "–               connected                    23:03:40 · 1 min ago   sendrecv  01KAKV09…5HW1  node-2",
      "stage-camera-2  connected                    22:47:02 · 18 min ago  sendrecv  01KAKV0B…4F2D  node-1",
      "",
      "7 more connections are not shown.",
      "",
      "Refreshed.",
    ]);
  });

  it("say if nobody is connected", () => {
    expect(formatLive({ ...live, connections: 0, channels: [] }, { now })).toBe("Live now\nNobody is connected.");
  });
});
