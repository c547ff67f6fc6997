import { closeAfterAll } from "@media-ops/testing/after-all";
import { describe, expect, it, vi } from "vitest";
import { ago } from "./test/entries.js";
import { startFakeService } from "./test/services.js";
import { newUser, outOf, type Started, startAtTerminal } from "./test/user.js";

const atEnd = closeAfterAll();

const client = (client_id: string, role = "recvonly") => ({
  connection_id: `connection-of-${client_id}`,
  client_id,
  role,
  state: "connected" as const,
  since: ago(5),
});

/** A service with two channels that have connections, and a user of it. */
async function startLive() {
  const service = await startFakeService({}, atEnd);
  const lobby = { channel_id: "lobby@demo", limits: { min: 5, max: 5 } };
  const stage = { channel_id: "stage@demo", clients: [client("c3")] };
  service.setLive({ ...lobby, clients: [client("c1", "sendrecv"), client("c2")] }, stage);
  const user = await newUser(service.env, atEnd);
  return { service, user, media: user.run };
}

const first = ({ out }: Started) => vi.waitUntil(() => out().includes("connection"), { timeout: 25_000 });

describe("media live", () => {
  it("shows the channels that have connections: how many, by role, and the seats taken", async () => {
    const { media } = await startLive();
    const out = await outOf(media("live"));
    expect(out).toMatch(/^Live connections in project demo\n3 connections in 2 channels/);
    expect(out).toMatch(/lobby +2 +2 of 5\b.*1 sendrecv, 1 recvonly/);
    expect(out).not.toContain("c1");
  });

  it("shows the connections of one channel, named with or without its project", async () => {
    const { media } = await startLive();
    for (const channel of ["lobby", "lobby@demo"]) {
      const { out } = await media("live", channel);
      expect(out).toContain("2 connections in lobby");
      expect(out).toMatch(/c1 +connected/);
      expect(out).not.toContain("stage");
    }
    expect((await media("live", "empty")).out).toContain("Nobody is connected in empty");
  });

  it("prints what the service lists for a program", async () => {
    const { service, media } = await startLive();
    const { out } = await media("live", "--json");
    expect(JSON.parse(out)).toMatchObject({ connections: 3, channels: [{ channel_id: "lobby@demo" }, {}] });
    expect(service.calls.at(-1)?.body).toEqual({ project_id: "demo", limit: 1000 });
  });

  it("finds a channel by its name, whether its project is known or not", async () => {
    const { service } = await startLive();
    const user = await newUser({ ...service.env, MEDIA_PROJECT_ID: "" }, atEnd);
    for (const words of [["lobby"], ["lobby", "in:demo"], ["lobby@demo"]]) {
      expect((await user.media(["live", ...words])).out).toContain("2 connections in lobby");
    }
  });
});

// Side by side, because they mostly wait: there are at most two calls a second.
describe.concurrent("media live --watch", () => {
  it("prints who is connected again and again in a pipe, until Ctrl-C, which is no failure", async ({ expect }) => {
    const { service, user } = await startLive();
    const watching = user.start(["live", "--watch=0.5"]);
    await first(watching);
    service.setLive({ channel_id: "gate@demo" });
    await expect.poll(watching.out).toContain("gate");
    watching.stop();
    const out = await outOf(watching.ended);
    expect(out.indexOf("lobby")).toBeLessThan(out.indexOf("gate"));
    expect(out).not.toContain("\u001b");
  });

  it("prints a line of JSON each time", async ({ expect }) => {
    const { user } = await startLive();
    const watching = user.start(["live", "--watch=0.5", "--json"]);
    await expect.poll(() => watching.out().split("\n").length).toBeGreaterThan(2);
    watching.stop();
    const lines = (await watching.ended).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).connections)).toEqual(lines.map(() => 3));
  });

  it("reports once that the service fails, continues, and reports once that it answers again", async ({ expect }) => {
    const { service, user } = await startLive();
    const watching = user.start(["live", "--watch=0.5"]);
    await first(watching);
    service.fail({ status: 503 }, 2);
    await expect.poll(watching.err).toContain("answers again");
    watching.stop();
    const { code, err } = await watching.ended;
    expect(code).toBe(0);
    expect(err.match(/✗/g)).toHaveLength(1);
    expect(err.match(/answers again/g)).toHaveLength(1);
  });

  it("ends if the key is no longer valid", async ({ expect }) => {
    const { service, user } = await startLive();
    const watching = user.start(["live", "--watch=0.5"]);
    await first(watching);
    service.fail({ status: 401 });
    expect(await watching.ended).toMatchObject({ code: 1, err: expect.stringContaining("The API key was refused.") });
  });

  it("draws in place on a terminal, and leaves the last picture there", async ({ expect }) => {
    const { service } = await startLive();
    const watching = startAtTerminal(["live", "--watch=0.5"], {
      columns: 90,
      rows: 40,
      env: { ...service.env, NO_COLOR: "1" },
    });
    await first(watching);
    service.fail({ status: 503 });
    await expect.poll(watching.out).toContain("overloaded");
    service.setLive({ channel_id: "gate@demo" });
    await expect.poll(watching.out).toContain("gate");
    watching.stop();
    const out = await outOf(watching.ended);
    const [before = "", ...pictures] = out.split("\u001b[H");
    const [last = "", after = ""] = (pictures.at(-1) ?? "").split("\u001b[?1049l");
    expect(before).toBe("\u001b[?1049h\u001b[?25l");
    expect(pictures[1]).toMatch(/overloaded[\s\S]*Retrying until the service answers[\s\S]*lobby/);
    expect(last).toContain("gate");
    expect(after).toContain("gate");
    expect(after).not.toContain("\u001b");
  });

  it("draws no more lines than the terminal has", async ({ expect }) => {
    const { service } = await startLive();
    service.setLive(...Array.from({ length: 30 }, (_, at) => ({ channel_id: `channel-${at}@demo` })));
    const watching = startAtTerminal(["live", "--watch"], { columns: 90, rows: 10, env: service.env });
    await first(watching);
    watching.stop();
    const { out } = await watching.ended;
    const [, picture = ""] = out.split("\u001b[H");
    const lines = (picture.split("\u001b[?25h")[0] ?? "").split("\n");
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toMatch(/^… \d+ more lines/);
  });
});
