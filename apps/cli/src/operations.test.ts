import { createMediaClient, type IssuedToken } from "@media-ops/sdk";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { language } from "./language.js";
import { flagTable } from "./session.js";
import { ago } from "./test/entries.js";
import { startFakeService } from "./test/services.js";
import { type Ended, errOf, newUser, outOf, startAtTerminal } from "./test/user.js";

const LIST = "/projects/list-access-tokens";
const REVOKE = "/projects/revoke-access-token";
const RESEND = "/projects/resend-deliveries";
const connection_id = "0J9V6TQ2M4EXK7C3R8ZB5HW1NA";

/** An answer of the media server's API; with a problem, it is the service's own refusal. */
type MediaAnswer = { readonly status: number; readonly problem?: object } | "lost";

let fake: Awaited<ReturnType<typeof startFakeService>>;
let user: Awaited<ReturnType<typeof newUser>>;
let mediaAnswer: MediaAnswer;
const mediaCalls: object[] = [];

// The SDK's fake of the service, with the media server's API beside it.
const atEnd = closeAfterAll();
beforeAll(async () => {
  fake = await startFakeService({}, atEnd, ({ url = "", headers }, body, response) => {
    if (!url.startsWith("/media-api")) return false;
    const [target, requestedBy] = [headers["x-media-target"], headers["x-requested-by"]];
    mediaCalls.push({ target, requestedBy, body: JSON.parse(body) });
    if (mediaAnswer === "lost") response.destroy();
    else {
      const { status, problem } = mediaAnswer;
      response.writeHead(status, { "content-type": `application/${problem ? "problem+json" : "json"}` });
      response.end(JSON.stringify(problem ? { type: "urn:media-ops:problem:test", ...problem } : {}));
    }
    return true;
  });
  user = await newUser(fake.env, atEnd);
});
beforeEach(() => {
  fake.reset();
  mediaCalls.length = 0;
  mediaAnswer = { status: 200 };
});

const media = (...words: string[]): Promise<Ended> => user.run(...words);
const piped = (input: string, ...words: string[]): Promise<Ended> => user.media(words, { input });
const start = (...words: string[]) => startAtTerminal(words, { columns: 120, env: { ...fake.env, NO_COLOR: "1" } });
/** Runs a command at a terminal, and answers its question. */
async function answering(answer: string, ...words: string[]): Promise<Ended> {
  const started = start(...words);
  await started.answer("[y/N]", answer);
  return started.ended;
}
/** The paths of the calls that the user made, without those of a test itself. */
const paths = () => fake.calls.filter(({ from }) => from === "cli").map(({ path }) => path);
/** Another person's client. */
const client = () => createMediaClient({ ...fake.clientOptions, requestedBy: "slack:T0PLAY/U0ANN" });

/** Issues a token for a channel, and returns what the service knows of it. */
async function issue(channel_id = "lobby@demo"): Promise<IssuedToken & { access_token: string }> {
  const { access_token } = await client().tokens.create({ channel_id, role: "recvonly" });
  const [issued] = (await client().tokens.list()).tokens;
  return { ...(issued ?? expect.fail()), access_token };
}

// A new token changes nothing that exists, and scripts create many.
const acting = language.commands.filter(({ name, isAct }) => isAct && name !== "token");

describe("a command that acts", () => {
  it("is one of those that take --yes", () => {
    const yes = flagTable.find(({ name }) => name === "--yes");
    expect(acting.map(({ name }) => name)).toEqual(yes?.commands);
  });

  it.each(acting.flatMap(({ examples }) => examples.map(([text]) => text)))(
    "does nothing without a terminal and without --yes: media %s",
    async (text) => {
      for (const more of [[], ["--json"]]) {
        const err = await errOf(piped("y\n", ...text.split(" "), ...more), 2);
        expect(err).toBe(
          "This command asks before it acts, and there is no terminal to ask at. Nothing was done. Add --yes to run it without the question.\n",
        );
      }
      expect([...paths(), ...mediaCalls]).toEqual([]);
    },
  );
});

describe("media tokens", () => {
  it("lists the active tokens, and who requested them, without the tokens themselves", async () => {
    const { jwt_id, access_token } = await issue();
    for (const words of [["tokens"], ["token", "list"], ["tokens", "lobby", "recvonly"], ["list", "tokens"]]) {
      const out = await outOf(media(...words));
      expect(out).toContain(jwt_id);
      expect(out).toContain("slack:T0PLAY/U0ANN");
      expect(out).not.toContain(access_token);
    }
    expect((await media("tokens", "stage")).out).not.toContain(jwt_id);
    const { out } = await media("tokens", "--json");
    expect(JSON.parse(out)).toMatchObject({ tokens: [{ jwt_id, state: "active" }] });
  });

  it("never creates one, however it is asked for a list", async () => {
    for (const words of ["tokens", "token list", "tokens list", "which tokens are out"])
      await media(...words.split(" "));
    expect(new Set(fake.calls.map(({ path }) => path))).toEqual(new Set([LIST]));
  });

  it("lists those that this user requested", async () => {
    const { jwt_id } = await issue();
    await media("token", "stage");
    const { out } = await media("tokens", "by:me");
    expect(out).toContain("stage");
    expect(out).toContain("cli:ann@laptop");
    expect(out).not.toContain(jwt_id);
    expect((await media("tokens", "by:slack:T0PLAY/U0ANN")).out).toContain(jwt_id);
  });

  it("says that a mention names a person in Slack only", async () => {
    const { code, err } = await media("tokens", "by:<@U0ANN>");
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("by:slack:<workspace>/U0ANN") });
  });

  it("says how to list more if there are more", async () => {
    for (let count = 0; count < 3; count++) await issue();
    expect((await media("tokens", "last:2")).out).toContain("add last:1000");
    expect((await media("tokens")).out).not.toContain("last:1000");
  });
});

describe("media revoke", () => {
  it("shows the token at a terminal, asks, and ends it", async () => {
    const { jwt_id } = await issue();
    const { code, out, err } = await answering("y\n", "revoke", jwt_id);
    expect(code).toBe(0);
    expect(err).toMatch(/Tokens that would end[\s\S]*lobby[\s\S]*Revoke token .* of demo\? \[y\/N\]/);
    expect(out).toContain("is revoked.");
    expect((await client().tokens.list({ include_ended: true })).tokens).toMatchObject([
      { jwt_id, state: "revoked", revoked_by: "cli:ann@laptop" },
    ]);
  });

  it.each([
    ["\n", 1],
    ["n\n", 1],
    ["maybe\n", 1],
    ["\u0003", 130],
  ])("does nothing if the answer is %j", async (answer, exitCode) => {
    const { jwt_id } = await issue();
    const err = await errOf(answering(answer, "revoke", jwt_id), exitCode);
    if (exitCode === 1) expect(err).toMatch(/Nothing was done\.\n$/);
    expect(paths()).toEqual([LIST]);
  });

  it("takes nothing that was typed before its question for the answer", async () => {
    const { jwt_id } = await issue();
    const revoking = start("revoke", jwt_id);
    await revoking.answer("", "y\ny\ny\n");
    await revoking.answer("[y/N]", "\n");
    expect((await revoking.ended).code).toBe(1);
    expect(paths()).not.toContain(REVOKE);
  });

  it("shows only those tokens of a channel that were issued before the time", async () => {
    const { jwt_id } = await issue();
    const other = await issue("stage@demo");
    const { code, err } = await answering("y\n", "revoke", "lobby", "disconnect");
    expect(code).toBe(0);
    expect(err).toContain(jwt_id);
    expect(err).not.toContain(other.jwt_id);
    expect(err).toContain("Tokens for every channel");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", channel_id: "lobby@demo", disconnect: true });
    expect((await answering("n\n", "revoke", "stage", "before:1h")).err).not.toContain(other.jwt_id);
  });

  it("ends a token without a question with --yes", async () => {
    const { jwt_id } = await issue();
    const out = await outOf(media("revoke", jwt_id, "--yes", "--json"));
    expect(JSON.parse(out)).toMatchObject({ jwt_id, tokens: 1 });
    expect(paths()).toEqual([REVOKE]);
  });

  it("says that this service has not issued a token", async () => {
    const { code, err } = await answering("y\n", "revoke", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11");
    expect(code).toBe(0);
    expect(err).toContain("This service has not issued this token, or it ended long ago.");
  });

  it("says that there is nothing to do for a token that was revoked, unless its clients are to be disconnected", async () => {
    const { jwt_id } = await issue();
    await media("revoke", jwt_id, "--yes");
    const { code, err } = await start("revoke", jwt_id).ended;
    expect(code).toBe(0);
    expect(err).toContain("Nothing to do: this token has been revoked already.");
    expect((await answering("y\n", "revoke", jwt_id, "disconnect")).code).toBe(0);
    expect(paths().filter((path) => path === REVOKE)).toHaveLength(2);
  });
});

describe("media token check", () => {
  it("reads the token from a pipe, and says that it is good", async () => {
    const { access_token, jwt_id } = await issue();
    const json = JSON.stringify({ access_token });
    for (const input of [access_token, `${access_token}\n`, `Bearer ${access_token}\n`, json]) {
      const out = await outOf(piped(input, "token", "check"));
      expect(out).toContain(jwt_id);
      expect(out).not.toContain(access_token);
    }
  });

  it("asks for it at a terminal, and shows nothing of it", async () => {
    const { access_token, jwt_id } = await issue();
    const checking = start("check");
    await checking.answer("Access token (hidden): ", `${access_token}\n`);
    const { code, out, err } = await checking.ended;
    expect(code).toBe(0);
    expect(out).toContain(jwt_id);
    expect(`${out}${err}`).not.toContain(access_token.slice(0, 20));
  });

  it("says why a token is not good, and what a client would be answered in a channel", async () => {
    const { access_token, jwt_id } = await issue();
    expect((await piped(access_token, "check", "channel:stage")).out).toMatch(/wrong-channel|another channel/);
    const json = await piped(access_token, "check", "channel:stage", "--json");
    expect(json).toMatchObject({ code: 1, err: expect.stringContaining("A client with this token is refused.") });
    const admission = { allowed: false, reason: "wrong-channel" };
    expect(JSON.parse(json.out)).toMatchObject({ active: true, admission });
    await client().tokens.revoke({ jwt_id });
    expect(await piped(access_token, "check")).toMatchObject({ code: 1, out: expect.stringContaining("revoked") });
  });

  it.each([
    ["", "The input ended"],
    ["\n", "The token is missing."],
    ["not a token\n", "This isn't an access token: it contains other characters."],
    [`${"a".repeat(9000)}\n`, "This isn't an access token: it is longer than 8192 characters."],
  ])("sends nothing for %j", async (input, message) => {
    const { code, out, err } = await piped(input, "check");
    expect(code).toBeGreaterThan(0);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(paths()).toEqual([]);
  });

  it("refuses a token among the arguments of any command, which a shell would keep in its history", async () => {
    const { access_token } = await issue();
    for (const words of [
      ["token", "check", access_token],
      ["check", `channel:${access_token}`],
      ["token", access_token],
    ]) {
      const err = await errOf(media(...words), 2);
      expect(err).toContain("stays in the shell's history");
      expect(err).not.toContain(access_token.slice(0, 20));
    }
    expect(paths()).toEqual([]);
  });
});

describe("webhook deliveries", () => {
  const delivery_id = "0mnqk2x1c000a7f3kq2";
  const event_id = "2M4EXK7C4R8ZB5HW1NA0J9V6TQ";
  beforeEach(() => {
    fake.addDeliveries(
      { delivery_id, event_id, state: "failed", type: "connection.created", created_at: ago(30), fault: "no answer" },
      { state: "delivered", type: "session.created", created_at: ago(20) },
      { state: "waiting", type: "connection.destroyed", created_at: ago(10) },
    );
  });

  it("are listed by their state, type and time", async () => {
    const out = await outOf(media("deliveries"));
    expect(out).toMatch(/connection\.destroyed[\s\S]*session\.created[\s\S]*connection\.created/);
    for (const [word, type] of [
      ["failed", "connection.created"],
      ["waiting", "connection.destroyed"],
      ["type:session.created", "session.created"],
      ["since:15m", "connection.destroyed"],
      ["until:25m", "connection.created"],
    ] as const) {
      const { deliveries } = JSON.parse((await media("deliveries", word, "--json")).out);
      expect([word, ...deliveries.map(({ type }: { type: string }) => type)]).toEqual([word, type]);
    }
  });

  it.each([`id:${delivery_id}`, `event:${event_id}`])("are shown with their attempts by %s", async (word) => {
    const { out } = await media("deliveries", word);
    expect(out).toContain("Attempt 1");
    expect(out).toContain("no answer");
    expect(out).not.toContain("session.created");
  });

  it("that failed are shown at a terminal, and sent again if the answer is yes", async () => {
    const { code, out, err } = await answering("y\n", "resend", "since:1h");
    expect(code).toBe(0);
    expect(err).toMatch(/connection\.created[\s\S]*Send this webhook again\? \[y\/N\]/);
    expect(err).not.toContain("session.created");
    expect(out).toContain("1 webhook");
    expect(fake.calls.at(-1)).toMatchObject({ path: RESEND, body: { since: expect.any(String) } });
  });

  it("are asked about all together, however many are shown", async () => {
    fake.addDeliveries(...Array.from({ length: 29 }, () => ({ state: "failed" as const, created_at: ago(10) })));
    const { err } = await answering("n\n", "resend", "since:1h");
    expect(err).toContain("To be sent again: 30, the newest 20 are");
    expect(err).toContain("Send these 30 webhooks again? [y/N]");
    expect(err.match(/connection\.created/g)).toHaveLength(20);
  });

  it("are sent again by their own id or their event's, whatever their state", async () => {
    await media("resend", delivery_id, "--yes", "--json");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", delivery_id });
    const { out } = await media("deliveries", "resend", event_id, "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ resent: 1, delivery_id });
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", event_id });
  });

  it("report what became of one that was sent again", async () => {
    const resending = media("resend", delivery_id, "--yes");
    await expect.poll(() => fake.calls.some(({ path }) => path === RESEND)).toBe(true);
    fake.addDeliveries({ delivery_id, event_id, state: "waiting", attempts: [{ timestamp: ago(0), status: 503 }] });
    const { code, out } = await resending;
    expect(code).toBe(0);
    expect(out).toContain("▲ Resent, but the receiver answered 503. It will be retried.");
  });

  it.each([
    ["since:5m", "No delivery has failed in this period"],
    ["event:unknown", "There is no such delivery"],
  ])("are not sent again if there are none: %s", async (word, message) => {
    const err = await errOf(start("resend", word).ended, 0);
    expect(err).toContain(message);
    expect(paths()).not.toContain(RESEND);
  });

  it("that are unknown are reported with --yes, too", async () => {
    const { code, err } = await media("resend", "event:unknown", "--yes");
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("There is no such delivery") });
  });
});

describe("media endpoints", () => {
  const off = { kind: "event", state: "off", off_since: "2026-04-01T09:30:00Z", off_reason: "410 Gone" } as const;
  beforeEach(() => {
    fake.setEndpoints(off);
  });

  it("shows the state of each endpoint", async () => {
    fake.setEndpoints(off, { kind: "auth", url: "https://hooks.example/admit" });
    const out = await outOf(media("endpoints"));
    for (const text of ["410 Gone", "hooks.example/admit"]) expect(out).toContain(text);
    const { endpoints } = JSON.parse((await media("endpoints", "--json")).out);
    expect(endpoints).toMatchObject([
      { kind: "event", state: "off" },
      { kind: "auth", state: "ok" },
    ]);
  });

  it("switches one on after a question, which says how to resend what failed meanwhile", async () => {
    const { code, out, err } = await answering("yes\n", "endpoints", "enable", "event");
    expect(code).toBe(0);
    expect(err).toContain("media resend since:2026-04-01T09:30:00Z");
    expect(err).toContain("Switch the event endpoint on? [y/N]");
    expect(out).toMatch(/^✓ .*event/i);
    expect((await client().endpoints.list()).endpoints).toMatchObject([{ state: "ok" }]);
  });

  it("says that the project has no such endpoint, without a question", async () => {
    const { code, err } = await start("endpoint", "on", "auth").ended;
    expect({ code, err }).toEqual({ code: 1, err: "The project has no auth endpoint. Nothing was done.\n" });
    expect((await media("enable", "auth", "--yes")).err).toContain("The project has no auth webhook");
  });

  it("switches one on without a question with --yes", async () => {
    const { code, out } = await media("endpoints", "enable", "event", "--yes", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ kind: "event", state: "ok" });
  });
});

describe("media disconnect", () => {
  const requestedBy = "cli:ann@laptop";
  const channel_id = "lobby@demo";
  beforeEach(() => {
    const clients = [connection_id, "other"].map((id) => ({ connection_id: id, state: "connected" as const }));
    fake.setLive({ channel_id, clients });
  });

  it("says how many connections it would end, asks, and ends them", async () => {
    const { code, out, err } = await answering("y\n", "disconnect", "lobby");
    expect(code).toBe(0);
    expect(err).toContain("2 connections are in lobby now.");
    expect(err).toContain("Disconnect channel lobby in project demo? [y/N]");
    expect(out).toContain("✓ All connections of lobby are ended.");
    expect(mediaCalls).toEqual([{ target: "Media_20151104.DisconnectChannel", requestedBy, body: { channel_id } }]);
  });

  it("ends one connection by its id", async () => {
    const words = ["disconnect", "lobby", `connection:${connection_id}`];
    expect((await answering("y\n", ...words)).code).toBe(0);
    const { out } = await media(...words, "--yes", "--json");
    expect(JSON.parse(out)).toEqual({ disconnected: true, channel_id, connection_id });
    const body = { channel_id, connection_id };
    const call = { target: "Media_20151104.DisconnectConnection", requestedBy, body };
    expect(mediaCalls).toEqual([call, call]);
  });

  it.each([
    [["disconnect", "empty"], "Nobody is connected in empty. Nothing was done."],
    [["disconnect", "lobby", "connection:gone"], "There is no such connection in lobby. Nothing was done."],
  ])("asks nothing if there is nothing to end: %j", async (words, message) => {
    const { code, err } = await start(...words).ended;
    expect({ code, err }).toEqual({ code: 0, err: `${message}\n` });
    expect(mediaCalls).toEqual([]);
  });

  it("ends nothing after no", async () => {
    expect((await answering("n\n", "disconnect", "lobby")).code).toBe(1);
    expect(mediaCalls).toEqual([]);
  });

  it.each<[MediaAnswer, string]>([
    [
      { status: 503, problem: { detail: "This service knows no media server." } },
      "The service answered 503: This service knows no media server.",
    ],
    [{ status: 404, problem: { detail: "There is nothing here." } }, "does not pass on calls to the media server"],
    [{ status: 404 }, "The media server does not know this connection"],
    [{ status: 500 }, "The media server answered 500, and may not have ended the connections."],
    ["lost", "It may have ended connections anyway: see media live."],
  ])("reports why nothing was ended: %j", async (answer, message) => {
    mediaAnswer = answer;
    const err = await errOf(media("disconnect", "lobby", `connection:${connection_id}`, "--yes"));
    expect(err).toContain(message);
  });
});

describe("media audit", () => {
  it("lists who changed what, and what one person or action changed", async () => {
    const { jwt_id } = await changed();
    const out = await outOf(media("audit", "since:1h"));
    for (const text of ["cli:ann@laptop", "slack:T0PLAY/U0ANN", jwt_id.slice(0, 8)]) expect(out).toContain(text);
    expect((await media("audit", "by:me")).out).not.toContain("slack:T0PLAY");
    expect((await media("audit", "action:deliveries.resend")).out).not.toContain("cli:ann");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", action: "deliveries.resend" });
  });

  it("writes all of it as a file, page by page", async () => {
    await changed();
    const lines = (await media("audit", "as:json")).out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).action)).toEqual(["token.revoke", "deliveries.resend", "token.revoke"]);
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", limit: 1000 });
    expect((await media("audit", "--json", "last:1")).out.trimEnd().split("\n")).toHaveLength(1);
    const csv = (await media("audit", "as:csv")).out;
    expect(csv).toMatch(/^timestamp,/);
    expect(csv.trimEnd().split("\r\n")).toHaveLength(4);
  });

  it("writes nothing but the header if nothing was changed", async () => {
    expect((await media("audit", "as:json")).out).toBe("");
    expect((await media("audit", "as:csv")).out.trimEnd().split("\r\n")).toHaveLength(1);
    expect((await media("audit")).code).toBe(0);
  });

  /** Two changes of another person, and one of this user. */
  async function changed() {
    const issued = await issue();
    await client().tokens.revoke({ jwt_id: issued.jwt_id });
    await client().deliveries.resend({ since: "2026-04-01T09:00:00Z" });
    await media("revoke", "lobby", "--yes");
    return issued;
  }
});
