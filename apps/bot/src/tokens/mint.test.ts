import { buttonsOf, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { apiKeyToTokenKey, readUnverifiedToken, signToken, toClaims } from "@media-ops/tokens";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Connections } from "../connections/connections.js";
import { type Minting, Mintings } from "../storage/records.js";
import { always, startBadService } from "../test/bad-service.js";
import { mintingOf } from "../test/entries.js";
import { expectWords, labelsOf, startStage } from "../test/stage.js";
import { openTestStorage } from "../test/storage.js";

const stage = await startStage({ atEnd: closeAfterAll() });

const someKey = apiKeyToTokenKey(`mo_0123456789abcdef_${"k".repeat(43)}`);
const in10Minutes = (): string => new Date(Date.now() + 600_000).toISOString();

/** A token as a service may create it, for any request. */
const tokenOf = (request: Parameters<typeof toClaims>[0]): Promise<string> =>
  signToken(toClaims(request, { now: Date.now() }), someKey);

let count = 0;

/** The person's message if the service sends this answer, and the records of the token. */
async function ask(
  answer: Parameters<typeof startBadService>[0],
  wanted: string,
): Promise<{ message: SeenMessage; recorded: Minting[] }> {
  count++;
  const [projectId, person] = [`bad${count}`, stage.team.addUser({ name: `user${count}` })];
  const baseUrl = await startBadService(answer);
  const storage = await stage.openStorage();
  const connections = new Connections(storage, undefined, Date.now);
  const { id: teamId } = stage.team;
  await connections.add({ teamId, projectId, baseUrl, apiKey: stage.service.apiKey, userId: stage.ann.id });
  const place = stage.team.addChannel({ name: `channel${count}`, members: [person] });
  const message = await stage.ask(person, `/media token ${wanted} in:${projectId}`, place);
  const recorded = await new Mintings(storage).latest(teamId, { userId: person.id, limit: 10 });
  return { message, recorded };
}

const made = (access_token: string) => always(200, { access_token });

describe("a token that differs from the request", () => {
  it.each([
    ["its role", "channel:*", { expiration_time: in10Minutes() }],
    ["its role", "channel:* role:recvonly", { role: "sendrecv", expiration_time: in10Minutes() }],
    ["its end", "channel:*", { role: "recvonly" }],
    ["its end", "channel:* for:5m", { role: "recvonly", expiration_time: in10Minutes() }],
    ["its channel", "lobby", { role: "recvonly", expiration_time: in10Minutes() }],
    [
      "its channel, its limit",
      "lobby max:5",
      { role: "recvonly", channel_id: "hall@x", expiration_time: in10Minutes() },
    ],
    ["its start", "channel:* starting:5m for:10m", { role: "recvonly", expiration_time: in10Minutes() }],
  ] as const)("is not shown: %s, asked %j", async (excess, wanted, request) => {
    const token = await tokenOf(request);
    const { message, recorded } = await ask(made(token), wanted);
    expect(textOf(message)).toBe(
      `The service made a token that allows more than was asked for (${excess}). It is not shown to anyone. Tell the service's operator.`,
    );
    expect(recorded).toEqual([]);
    expect(stage.logged()).toContain("an access token that allows more than was asked for");
    expect(stage.logged()).not.toContain(token.split(".")[1]);
  });

  it("is shown if it allows less, with the actual limits", async () => {
    const request = { role: "recvonly", channel_id: "lobby@x", expiration_time: in10Minutes() } as const;
    const token = await tokenOf({ ...request, max_channel_connections: 1 });
    const { message, recorded } = await ask(made(token), "channel:*");
    // Some seconds may have passed since the token was created.
    expect(textOf(message)).toMatch(
      /receive in lobby \(project x\), for (10 min|9 min \d\d s), while fewer than 1 are connected there\./,
    );
    expect(recorded).toMatchObject([
      { channel_id: "lobby@x", max_connections: 1, jti: readUnverifiedToken(token).claims.jti },
    ]);
  });
});

describe("an unreadable token", () => {
  it("is shown with a note that it cannot be read, and recorded as requested", async () => {
    const { message, recorded } = await ask(made("a <b> `c`"), "lobby max:4");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expectWords(message, "What it allows can't be read, and may be more than you asked for.", "\na <b> `c`\n");
    expect(message.text).not.toContain("<b>");
    expect(labelsOf(message)).toEqual(["Hide"]);
    expect(recorded).toMatchObject([
      {
        jti: expect.stringMatching(/^[\da-f-]{36}$/),
        channel_id: `lobby@bad${count}`,
        role: "recvonly",
        max_connections: 4,
      },
    ]);
    expect((recorded[0]?.ends_at ?? 0) - (recorded[0]?.at ?? 0)).toBeGreaterThan(599_000);
  });

  it.each([
    ["", "The service answered without a token. Tell the service's operator."],
    [7, "The answer did not come from a media service"],
    [null, "The answer did not come from a media service"],
  ])("is an error if it is empty or no string: %j", async (access_token, words) => {
    const { message, recorded } = await ask(always(200, { access_token }), "lobby");
    expect(textOf(message)).toContain(words);
    expect(recorded).toEqual([]);
  });
});

describe("a service that creates no token", () => {
  it("is reported to have refused it, with the reason", async () => {
    const errors = [{ pointer: "/channel_id", detail: "Must have at most 255 bytes." }];
    const problem = { type: "about:blank", title: "Bad", status: 400, detail: "Bad input.", request_id: "r1", errors };
    const { message, recorded } = await ask(always(400, problem), "lobby");
    expectWords(message, "The service did not understand the request", "channel_id: Must have at most 255 bytes.");
    expect(recorded).toEqual([]);
  });
});

describe("the project of a token", () => {
  it("is the project in the channel's name", async () => {
    expect(await stage.read(stage.bob, "/media token lobby@demo")).toContain("receive in lobby (project demo)");
  });

  it.each([
    [
      "lobby@other",
      "This channel belongs to the project other, and the token is for demo. If that is part of its name, add @demo.",
    ],
    ["lobby@", "Enter the channel's name, such as lobby. With its project it has at most 255 bytes."],
    ["é".repeat(126), "Enter the channel's name, such as lobby. With its project it has at most 255 bytes."],
  ])("must match the channel, whose name must be valid: %s", async (channel, words) => {
    expect(await stage.read(stage.bob, `/media token ${channel} in:demo`)).toBe(words);
  });

  it("is not taken from a channel with the same name", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby@other@demo in:demo");
    expect(textOf(message)).toContain("receive in lobby@other (project demo)");
  });

  it("must be chosen if it is not connected, and the channel's name stays", async () => {
    const refused = await stage.ask(stage.bob, "/media token lobby@demoo for:5m");
    const button = buttonsOf(refused).find(({ text }) => text === "demo");
    expect(button?.value).toBe("token lobby for:5m in:demo");
    const message = await stage.press(refused, "demo", stage.bob);
    expect(textOf(message)).toContain("receive in lobby (project demo), for 5 min.");
  });
});

it("a token that cannot be recorded is not shown", async () => {
  const { query } = await stage.openStorage();
  await sql`alter table minting rename to minting_away`.execute(query);
  try {
    const message = await stage.ask(stage.ann, "/media token lobby in:demo");
    expect(textOf(message)).toContain("Something went wrong here");
    expect(textOf(message)).not.toContain("eyJ");
  } finally {
    await sql`alter table minting_away rename to minting`.execute(query);
  }
});

const minting = (at: number, more: Partial<Minting> = {}): Minting => mintingOf({ at, jti: `jti-${at}`, ...more });

it("a minting is recorded even if its token contains times out of range", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1, { starts_at: -1e300, ends_at: 1.5e20 }));
  const [told] = await mintings.latest("T01", { limit: 10 });
  expect(told).toMatchObject({ starts_at: Number.MIN_SAFE_INTEGER, ends_at: Number.MAX_SAFE_INTEGER });
});

it("the latest are listed first, of one workspace or one user, up to the limit", async () => {
  const mintings = new Mintings(await openTestStorage());
  for (const at of [1, 3, 2]) await mintings.record(minting(at));
  await mintings.record(minting(4, { user_id: "U02" }));
  await mintings.record(minting(5, { team_id: "T02" }));
  const times = async (...of: Parameters<typeof mintings.latest>) => (await mintings.latest(...of)).map(({ at }) => at);
  expect(await times("T01", { limit: 10 })).toEqual([4, 3, 2, 1]);
  expect(await times("T01", { limit: 2 })).toEqual([4, 3]);
  expect(await times("T01", { userId: "U01", limit: 2 })).toEqual([3, 2]);
  expect(await times("T02", { userId: "U01", limit: 10 })).toEqual([5]);
});

it("two mintings with the same time and id are both recorded", async () => {
  const mintings = new Mintings(await openTestStorage());
  await mintings.record(minting(1));
  await mintings.record(minting(1, { user_id: "U02" }));
  expect(await mintings.latest("T01", { limit: 10 })).toHaveLength(2);
});
