import { buttonsOf, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { createMediaClient } from "@media-ops/sdk";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { apiKeyToTokenKey, readUnverifiedToken, verifyToken } from "@media-ops/tokens";
import { beforeAll, describe, expect, it } from "vitest";
import { type Minting, Mintings } from "../storage/records.js";
import { expectLife } from "../test/life.js";
import { type Stage, startStage } from "../test/stage.js";

let stage: Stage;
const atEnd = closeAfterAll();

beforeAll(async () => {
  stage = await startStage({ onDisk: true, atEnd });
});

const tokenIn = (message: SeenMessage): string => /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(textOf(message))?.[0] ?? "";

async function claimsIn(message: SeenMessage) {
  const key = apiKeyToTokenKey(stage.service.apiKey);
  return (await verifyToken(tokenIn(message), key, { now: Date.now() })).claims;
}

async function recorded(userId: string): Promise<Minting[]> {
  const storage = await stage.openStorage();
  return new Mintings(storage).latest(stage.team.id, { userId, limit: 100 });
}

/** A person who has no other tokens than the test's. */
function newcomer(name: string, timeZone = "UTC") {
  const person = stage.team.addUser({ name, timeZone });
  return { person, place: stage.team.addChannel({ name: `${name}s`, members: [person] }) };
}

describe("a token requested by a command", () => {
  it("has the requested terms, signed with the project's API key", async () => {
    const before = Math.floor(Date.now() / 1000);
    const id = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
    const message = await stage.ask(stage.bob, `/media token lobby max:5 for:90s id:${id}`);
    const after = Math.floor(Date.now() / 1000);

    expect(readUnverifiedToken(tokenIn(message)).alg).toBe("HS256");
    const { exp = 0, ...claims } = await claimsIn(message);
    expect(claims).toEqual({
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 5,
      iat: expect.any(Number),
      jti: id,
    });
    expect(exp).toBeGreaterThanOrEqual(before + 90);
    expect(exp).toBeLessThanOrEqual(after + 90);
  });

  it("may only receive, for ten minutes, by default", async () => {
    const claims = await claimsIn(await stage.ask(stage.bob, "/media token lobby"));
    expect(claims.jti).toMatch(/^[\da-f-]{36}$/);
    expect(claims.role).toBe("recvonly");
    expectLife(claims, 600);
  });

  it("is shown with its terms, its owner, and how it ends", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby for:5m");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(textOf(message)).toContain("Lets its holder receive in lobby (project demo), for 5 min.");
    expect(textOf(message)).toContain("Project demo");
    const { jti } = readUnverifiedToken(tokenIn(message)).claims;
    expect(textOf(message)).toContain('A client passes it in its metadata: { "access_token": "<token>" }');
    expect(buttonsOf(message)).toMatchObject([
      { text: "Hide", value: undefined },
      { text: "Revoke…", value: `revoke ${jti} in:demo` },
    ]);
  });

  it("is listed by the service with the person who requested it", async () => {
    const { jti } = readUnverifiedToken(tokenIn(await stage.ask(stage.bob, "/media token lobby for:5m"))).claims;
    const client = createMediaClient({ baseUrl: stage.service.url, apiKey: stage.service.apiKey });
    const { tokens } = await client.tokens.list({ jwt_id: jti });
    expect(tokens).toMatchObject([{ requested_by: `slack:${stage.team.id}/${stage.bob.id}` }]);
  });

  it("starts and ends in the person's own time zone", async () => {
    const { person, place } = newcomer("yuki", "Asia/Tokyo");
    const message = await stage.ask(person, "/media token lobby starting:09:00", place);
    const { nbf = 0, exp } = readUnverifiedToken(tokenIn(message)).claims;
    expect(new Date(nbf * 1000).toISOString()).toMatch(/T00:00:00/);
    expect(exp).toBe(nbf + 600);
    expect(textOf(message)).toContain("09:00:00 Asia/Tokyo");
    expect(textOf(message)).toContain("09:10:00 Asia/Tokyo");
  });

  it("is not created if it would have expired already", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby starting:2020-01-01T00:00:00Z");
    expect(textOf(message)).toContain(
      "A token that starts then, for 10 minutes, would have ended already. Choose a later start.",
    );
  });
});

describe("the message with a token", () => {
  it("is deleted by Hide", async () => {
    const message = await stage.ask(stage.ann, "/media token lobby");
    await stage.ann.press(message, "Hide");
    await stage.slack.until(() => stage.ann.sees(stage.general).every(({ ts }) => ts !== message.ts));
    expect(JSON.stringify(stage.ann.sees(stage.general))).not.toContain(tokenIn(message));
  });

  it("has simple blocks for a Slack that accepts no others, and no token for one that accepts none", async () => {
    const old = await startStage();
    old.slack.refuseBlocks(["rich_text"]);
    const simple = await old.ask(old.ann, "/media token lobby");
    expect(simple.isOnlyVisibleToYou).toBe(true);
    expect(tokenIn(simple)).not.toBe("");
    expect(textOf(simple)).toMatch(/receive in lobby \(project demo\), for 10 min\.\nEnds: \d{4}-/);

    old.slack.refuseBlocks(["section"]);
    const none = await old.ask(old.ann, "/media token lobby");
    expect(textOf(none)).toBe(
      "Slack refused to show the access token. Nobody has it, so make another with /media token.",
    );
    expect(old.logged()).toContain("Slack refused the blocks");
    expect(old.logged()).not.toContain(tokenIn(simple));
    expect(old.logged()).not.toContain("eyJ");
  });
});

describe("a token", () => {
  it("is recorded with its owner, its conversation and its terms", async () => {
    const { person, place } = newcomer("lee");
    const message = await stage.ask(person, "/media token lobby max:3 starting:2h for:5m", place);
    const { nbf = 0, exp = 0, jti = "" } = readUnverifiedToken(tokenIn(message)).claims;
    expect(await recorded(person.id)).toEqual([
      {
        team_id: stage.team.id,
        user_id: person.id,
        place_id: place.id,
        at: expect.any(Number),
        minting_id: expect.any(String),
        project_id: "demo",
        jti,
        channel_id: "lobby@demo",
        role: "recvonly",
        starts_at: nbf * 1000,
        ends_at: exp * 1000,
        max_connections: 3,
        reason: null,
      },
    ]);
  });
});

describe("a token that cannot be shown", () => {
  it("is still recorded, and the person sees that an error occurred", async () => {
    const { person, place } = newcomer("omar");
    stage.slack.fail("response_url", { error: "internal_error", times: 1 });
    const message = await stage.ask(person, "/media token lobby", place);
    expect(textOf(message)).toContain("Slack refused what the bot did (internal_error).");
    expect(textOf(message)).not.toContain("eyJ");
    expect(await recorded(person.id)).toHaveLength(1);
  });
});
