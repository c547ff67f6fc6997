import { serveHttp } from "@media-ops/testing/servers";
import { describe, expect, it, onTestFinished } from "vitest";
import { helpText, incidentHelp, optionTable, parseDuration, parseOptions, runCli } from "./cli.js";
import { allow, type Receiver, startReceiver } from "./test/receiver.js";

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

const needed = ["--intake", "http://127.0.0.1:8081", "--key", "mi_secret"];

function optionsOf(...args: string[]) {
  const { options, faults } = parseOptions([...needed, ...args]);
  expect(faults).toEqual([]);
  return options;
}

const faultsOf = (args: string[]): readonly string[] => parseOptions(args).faults;

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["60s", 60_000],
    ["1.5s", 1500],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["60", undefined],
    ["0s", undefined],
    ["-1s", undefined],
    ["1 s", undefined],
    ["", undefined],
    ["s", undefined],
    ["1d", undefined],
    ["1toString", undefined],
  ])("%j is %s ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

describe("the options", () => {
  it("have defaults", () => {
    expect(optionsOf()).toMatchObject({
      ...{ intake: "http://127.0.0.1:8081/intake", key: "mi_secret", "key-in-path": false },
      ...{ project: ["demo"], channels: 20, rate: 10, for: undefined, connections: undefined, seed: 1 },
      ...{ token: undefined, "expired-token": undefined, "full-token": undefined, node: [], clients: 0 },
      ...{ incidents: [], twice: 0, late: 0, "out-of-order": 0, "api-port": 0, "no-counts": false, json: false },
    });
  });

  it("are parsed", () => {
    const args = "--channels 3 --rate 0.5 --for 5m --seed 9 --token jwt --twice 0.1 --late=1 --out-of-order 0.25";
    const more = "--api-port 7000 --project a --project b --key-in-path --no-counts --json";
    expect(optionsOf(...args.split(" "), ...more.split(" "))).toMatchObject({
      ...{ channels: 3, rate: 0.5, for: 300_000, seed: 9, token: "jwt", twice: 0.1, late: 1, "out-of-order": 0.25 },
      ...{ "api-port": 7000, project: ["a", "b"], "key-in-path": true, "no-counts": true, json: true },
    });
    expect(optionsOf("--connections", "10000").connections).toBe(10_000);
  });

  it("plant incidents", () => {
    const args = "--for 1h --node a --node node-2 --clients 9 --project demo --project other --expired-token old";
    const more = "--full-token five --incident turn-outage:node-2@10m+5m --incident channel-full:small:5@0s+1.5m";
    const last = "--incident expired-token:lobby-1@other@59m+60s";
    const options = optionsOf(...args.split(" "), ...more.split(" "), ...last.split(" "));
    expect(options).toMatchObject({ node: ["a", "node-2"], clients: 9 });
    const accessToken = expect.any(Function);
    expect(options.incidents).toEqual([
      { kind: "turn-outage", nodeName: "node-2", at: 600_000, for: 300_000 },
      { kind: "channel-full", channelId: "small@demo", seats: 5, at: 0, for: 90_000, accessToken },
      {
        ...{ kind: "expired-token", channelId: "lobby-1@other", clientId: "retry-loop", at: 3_540_000, for: 60_000 },
        accessToken,
      },
    ]);
    const tokens = options.incidents.map((incident) => "accessToken" in incident && incident.accessToken());
    expect(tokens).toEqual([false, "five", "old"]);
  });

  it.each([
    ["http://127.0.0.1:8081", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/intake", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/intake/", "http://127.0.0.1:8081/intake"],
    ["http://media.internal/a/intake", "http://media.internal/a/intake"],
  ])("accept the URL %s", (given, intake) => {
    expect(parseOptions(["--intake", given, "--key", "k"])).toMatchObject({ options: { intake }, faults: [] });
  });

  it("are all in the help", () => {
    for (const name of Object.keys(optionTable)) expect(helpText()).toContain(`--${name}`);
    for (const form of Object.keys(incidentHelp)) expect(helpText()).toContain(`  ${form}  `);
    expect(parseOptions(["--help", "--rate", "x"]).options.help).toBe(true);
  });
});

describe("an invalid option returns an explanation", () => {
  it.each([
    [["--rate", "many"], /^--rate must be a number above 0/],
    [["--rate", "0"], /^--rate must be/],
    [["--rate", ""], /^--rate must be/],
    [["--channels", "1.5"], /^--channels must be a whole number from 1/],
    [["--connections", "0"], /^--connections must be a whole number from 1/],
    [["--seed", "-1"], /^--seed must be/],
    [["--twice", "2"], /^--twice must be a share from 0 to 1/],
    [["--late", "x"], /^--late must be a share/],
    [["--out-of-order", "-0.1"], /^--out-of-order must be a share/],
    [["--api-port", "70000"], /^--api-port must be a port/],
    [["--for", "60"], /^--for must be a time .* such as 500ms, 60s or 5m/],
    [["--project", "lobby@demo"], /^--project must be the id/],
    [["--key", "mi with spaces"], /^--key must be printable/],
    [["--intake", "https://x"], /^--intake must be an http:\/\/ address/],
    [["--intake", "127.0.0.1:8081"], /^--intake must be/],
    [["--colour", "red"], /^fake-media has no option --colour/],
    [["traffic"], /^fake-media takes options only/],
    [["--node", ""], /^--node must be/],
    [["--clients", "-1"], /^--clients must be a whole number from 0/],
    [["--incident", "turn-outage:node-2"], /^--incident must be one of turn-outage:NODE, .*such as @10m\+5m/],
    [["--incident", "flood:node-2@1s+1s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@soon+1s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@1s+0s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@1s+1s"], /^--incident turn-outage must name a node that is given with --node/],
    [["--node", "a", "--incident", "turn-outage:a@0s+40s"], /^--incident turn-outage must end 20.5s before --for/],
    [["--incident", "expired-token:lobby@1s+1s"], /^--incident expired-token needs a token: --expired-token JWT/],
    [["--expired-token", "t", "--incident", "expired-token:a@1s+1m"], /^--incident expired-token must end before/],
    [["--incident", "channel-full:small:5@1s+1s"], /^--incident channel-full needs a token: --full-token JWT/],
    [
      ["--full-token", "t", "--incident", "channel-full:small@1s+1s"],
      /^--incident channel-full must have .* its seats/,
    ],
    [["--full-token", "t", "--incident", "channel-full:a:0@1s+1s"], /^--incident channel-full must have .* its seats/],
    [
      ["--connections", "5", "--node", "a", "--incident", "turn-outage:a@0s+1s"],
      /^--incident and --connections do not go together/,
    ],
    [["--connections", "5", "--rate", "3"], /^--rate and --connections do not go together/],
  ])("%j", (args, sentence) => {
    const others = needed.filter((_, at) => needed[at - (at % 2)] !== args[0]);
    expect(faultsOf([...others, ...args])[0]).toMatch(sentence);
  });

  it("lists all invalid options together, without repeating their values", () => {
    const faults = faultsOf(["--rate", "mi_secret", "--key", "mi_secret b", "mi_secret"]);
    expect(faults).toHaveLength(4);
    expect(faults.join()).toContain("--intake is missing");
    expect(faults.join()).not.toContain("mi_secret");
    expect(faultsOf(["--intake", "http://x"])).toEqual([expect.stringContaining("--key is missing")]);
  });
});
