import { serveHttp } from "@media-ops/testing/servers";
import { describe, expect, it, onTestFinished } from "vitest";
import { allow, type Receiver, startReceiver } from "../test/receiver.js";
import { runCli } from "./run.js";

interface Run {
  /** The text written so far. */
  written: { out: string; err: string };
  ended: Promise<number>;
  /** Simulates Ctrl-C. */
  interrupt(): void;
}

function run(...args: string[]): Run {
  const written = { out: "", err: "" };
  const end = new AbortController();
  const ended = runCli(args, {
    write: (text) => {
      written.out += text;
    },
    complain: (text) => {
      written.err += text;
    },
    signal: end.signal,
  });
  onTestFinished(async () => {
    end.abort();
    await ended;
  });
  return { written, ended, interrupt: () => end.abort() };
}

async function receive(respond?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(respond);
  onTestFinished(() => receiver.close());
  return receiver;
}

const to = (receiver: Receiver): string[] => ["--intake", new URL(receiver.url).origin, "--key", "mi_verySecret"];

describe("the command", () => {
  it("simulates traffic, prints its API's URL, and prints a summary", async () => {
    const receiver = await receive();
    const { written, ended } = run(
      "--",
      ...to(receiver),
      "--for",
      "200ms",
      "--rate",
      "150",
      "--token",
      "eyJ.secret.jwt",
    );
    expect(await ended).toBe(0);
    expect(written.err).toMatch(/^MEDIA_UPSTREAM_URL=http:\/\/127\.0\.0\.1:\d+\n/);
    const ends = new Set(receiver.ofType("connection.destroyed").map((body) => body.id)).size;
    expect(ends).toBeGreaterThan(5);
    expect(written.out).toContain(`Connections  ${ends} ended and acknowledged`);
    expect(written.out).toContain("Nothing was lost.");
    expect(receiver.received[0]?.body.metadata).toEqual({ access_token: "eyJ.secret.jwt" });
    expect(receiver.received[0]?.headers.authorization).toBe("Bearer mi_verySecret");
  });

  it("prints a summary in one line of JSON that matches the receiver's counts", async () => {
    const receiver = await receive();
    const { written, ended } = run(...to(receiver), "--for", "200ms", "--rate", "160", "--twice", "0.3", "--json");
    expect(await ended).toBe(0);
    expect(written.out.trim().split("\n")).toHaveLength(1);
    const ends = new Map(receiver.ofType("connection.destroyed").map((body) => [body.id, body]));
    const sums = JSON.parse(written.out);
    expect(sums).toMatchObject({
      lost: 0,
      connections: ends.size,
      receivedBytes: [...ends.values()].reduce((sum, { data }) => sum + data.total_received_bytes, 0),
      requests: receiver.received.filter(({ body }) => body.type).length,
    });
  });

  it("plants incidents, and prints what each caused", async () => {
    const receiver = await receive((one) =>
      one.body.client_id === "retry-loop" ? { json: { allowed: false, reason: "no eyJ.expired" } } : allow(one),
    );
    const incident = ["--expired-token", "eyJ.expired", "--incident", "expired-token:lobby@0s+450ms"];
    const traffic = ["--for", "500ms", "--rate", "50", "--node", "node-2", "--clients", "4"];
    const { written, ended } = run(...to(receiver), ...traffic, ...incident, "--json");
    expect(await ended).toBe(0);
    const attempts = receiver.received.filter(({ body }) => body.client_id === "retry-loop");
    expect(attempts.map(({ body }) => body.metadata)).toEqual(Array(5).fill({ access_token: "eyJ.expired" }));
    expect(JSON.parse(written.out).incidents).toEqual([
      {
        ...{ kind: "expired-token", failed: 0, refused: 5, byReason: { "no [hidden]": 5 } },
        ...{ byClient: { "retry-loop": 5 }, byNode: { "node-2": 5 }, byChannel: { "lobby@demo": 5 } },
      },
    ]);
    const other = receiver.ofType("connection.created")[0];
    expect(other).toMatchObject({ node_name: "node-2", client_id: expect.stringMatching(/^client-[1-4]$/) });

    const text = run(...to(receiver), ...traffic, ...incident);
    expect(await text.ended).toBe(0);
    expect(text.written.out).toContain("Incident     expired-token: 0 failed, 5 refused");
  });

  it("opens connections, holds them until it is stopped, and then prints a summary", async () => {
    const receiver = await receive();
    const { written, ended, interrupt } = run(
      ...to(receiver),
      "--connections",
      "30",
      "--channels",
      "3",
      "--no-counts",
      "--json",
    );
    await expect.poll(() => written.err).toContain("30 connections are held.");
    expect(receiver.received[0]?.body).not.toHaveProperty("channel_connections");
    interrupt();
    expect(await ended).toBe(0);
    expect(JSON.parse(written.out)).toMatchObject({ connections: 30, sessions: 3 });
  });

  it("holds connections for a duration", async () => {
    const receiver = await receive();
    const { written, ended } = run(...to(receiver), "--connections", "5", "--for", "50ms", "--key-in-path");
    expect(await ended).toBe(0);
    expect(written.out).toContain("Connections  5 ended and acknowledged");
    expect(receiver.received[0]?.path).toBe("/intake/mi_verySecret/auth");
  });

  it("ends traffic cleanly on Ctrl-C", async () => {
    const receiver = await receive();
    const { written, ended, interrupt } = run(...to(receiver), "--for", "1h", "--rate", "100", "--json");
    await expect.poll(() => receiver.ofType("connection.created").length).toBeGreaterThan(3);
    interrupt();
    expect(await ended).toBe(0);
    const sums = JSON.parse(written.out);
    expect(sums.connections).toBe(sums.allowed);
    expect(sums.sessions).toBe(receiver.ofType("session.destroyed").length);
  });

  it("fails if any event was lost, and reports the number", async () => {
    const receiver = await receive((one) => (one.body.type === "connection.created" ? { status: 500 } : allow(one)));
    const { written, ended } = run(...to(receiver), "--connections", "3", "--for", "1ms");
    expect(await ended).toBe(1);
    expect(written.out).toContain("3 lost: ");
  });

  it("succeeds if the rules refuse clients, and never prints a secret from a response", async () => {
    const receiver = await receive(() => ({ json: { allowed: false, reason: "no eyJ.secret.jwt, no mi_verySecret" } }));
    const { written, ended } = run(...to(receiver), "--connections", "3", "--for", "1ms", "--token", "eyJ.secret.jwt");
    expect(await ended).toBe(0);
    expect(written.out).toContain("3 × no [hidden], no [hidden]");
    expect(written.out + written.err).not.toMatch(/mi_verySecret|eyJ/);
  });
});

describe("the command fails at the first client", () => {
  it("if the intake is unreachable", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const { written, ended } = run(...to(receiver), "--rate", "1000");
    expect(await ended).toBe(1);
    expect(written.err).toMatch(/No answer from http:\/\/127\.0\.0\.1:\d+\. .*ECONNREFUSED.* Is the service running/);
    expect(written.out).toBe("");
  });

  it.each([
    [401, /refused the key with 401\. Make an intake key/],
    [404, /There is no intake at .* answered 404\. Give the service's internal listener/],
  ])("if the response is %s", async (status, sentence) => {
    const receiver = await receive(() => ({ status }));
    const { written, ended } = run(...to(receiver), "--key-in-path", "--connections", "5000");
    expect(await ended).toBe(1);
    expect(written.err).toMatch(sentence);
    expect(written.err).not.toContain("mi_verySecret");
    expect(receiver.received.length).toBeLessThan(200);
  });
});

describe("the command explains", () => {
  it("its usage", async () => {
    const { written, ended } = run("--help");
    expect(await ended).toBe(0);
    expect(written.out).toContain("--out-of-order SHARE");
    expect(written.err).toBe("");
  });

  it("invalid options", async () => {
    const { written, ended } = run("--rate", "fast");
    expect(await ended).toBe(2);
    expect(written.out).toBe("");
    expect(written.err.trim().split("\n")).toHaveLength(3);
  });

  it("that its port is in use", async () => {
    const { port, close } = await serveHttp(() => {});
    onTestFinished(close);
    const { written, ended } = run("--intake", "http://127.0.0.1:1", "--key", "k", "--api-port", String(port));
    expect(await ended).toBe(1);
    expect(written.err).toBe(
      `Port ${port} is taken. Choose another with --api-port, or leave it out for any free one.\n`,
    );
  });
});
