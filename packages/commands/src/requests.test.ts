import { describe, expect, it } from "vitest";
import { coreCommands, defineLanguage, operationCommands } from "./index.js";
import {
  auditRequest,
  checkRequest,
  deliveriesRequest,
  disconnectRequest,
  isRevokedBy,
  joinLink,
  joinLinkFault,
  resendRequest,
  revokeRequest,
  type TokenRequestOptions,
  tokenRequest,
  tokensRequest,
} from "./requests.js";
import { when } from "./test/language.js";

const tokenId = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
const deliveryId = "0mnqk2x1c000a7f3kq2";
const eventId = "2M4EXK7C4R8ZB5HW1NA0J9V6TQ";

const language = defineLanguage([...coreCommands, ...operationCommands]);
const known = { project: "demo", me: "cli:ann@laptop" };

function requestOf(typed: string, options: { project?: string; me: string; team?: string } = known): unknown {
  const result = language.parse(typed, when);
  if (!result.ok) throw new Error(result.problem.reason);
  const { command } = result;
  switch (command.name) {
    case "tokens":
      return tokensRequest(command, options);
    case "revoke":
      return revokeRequest(command, options);
    case "deliveries":
      return deliveriesRequest(command, options);
    case "resend":
      return resendRequest(command, options);
    case "disconnect":
      return disconnectRequest(command, options);
    case "audit":
      return auditRequest(command, options);
    default:
      throw new Error(`${command.name} has no request`);
  }
}

const asked = (request: unknown) => ({ ok: true, request });

describe("the request for a command", () => {
  it.each([
    ["tokens", asked({ project_id: "demo" })],
    [
      "tokens lobby role:recvonly by:me all last:5",
      asked({
        project_id: "demo",
        channel_id: "lobby@demo",
        role: "recvonly",
        requested_by: "cli:ann@laptop",
        include_ended: true,
        limit: 5,
      }),
    ],
    ["tokens in:stage lobby", asked({ project_id: "stage", channel_id: "lobby@stage" })],
    [`tokens ${tokenId}`, asked({ project_id: "demo", jwt_id: tokenId, include_ended: true })],
    [`revoke ${tokenId}`, asked({ project_id: "demo", jwt_id: tokenId })],
    [
      "revoke lobby before:2h disconnect",
      asked({
        project_id: "demo",
        channel_id: "lobby@demo",
        issued_before: "2026-11-21T10:00:00.000Z",
        disconnect: true,
      }),
    ],
    [
      "deliveries failed type:connection.created since:2h until:1h last:20",
      {
        project_id: "demo",
        state: "failed",
        type: "connection.created",
        since: "2026-11-21T10:00:00.000Z",
        until: "2026-11-21T11:00:00.000Z",
        limit: 20,
      },
    ],
    [`deliveries event:${eventId}`, { project_id: "demo", event_id: eventId }],
    [`resend ${deliveryId}`, { project_id: "demo", delivery_id: deliveryId }],
    [`resend ${eventId}`, { project_id: "demo", event_id: eventId }],
    [`resend event:${deliveryId}`, { project_id: "demo", event_id: deliveryId }],
    ["resend delivery:d1", { project_id: "demo", delivery_id: "d1" }],
    ["resend since:1h", { project_id: "demo", since: "2026-11-21T11:00:00.000Z" }],
    ["disconnect lobby", asked({ channel_id: "lobby@demo" })],
    ["disconnect lobby@stage connection:c1", asked({ channel_id: "lobby@stage", connection_id: "c1" })],
    ["audit by:slack:T0PLAY/U0ANN", asked({ project_id: "demo", requested_by: "slack:T0PLAY/U0ANN" })],
  ])("%j has the API's names", (typed, request) => {
    expect(requestOf(typed)).toEqual(request);
  });

  it("has the token that is checked", () => {
    const token = "eyJhbGciOiJIUzI1NiJ9.e30.c2ln";
    const check = { name: "check", channel: "lobby", role: "sendonly" } as const;
    expect(checkRequest(check, token, known)).toEqual(
      asked({ project_id: "demo", access_token: token, channel_id: "lobby@demo", role: "sendonly" }),
    );
    expect(checkRequest(check, token, { me: "cli:ann@laptop" })).toMatchObject({ ok: false, missing: "project" });
  });

  it("has a person of Slack as the bot names them, and none outside of it", () => {
    const inSlack = { project: "demo", me: "slack:T0PLAY/U0BEN", team: "T0PLAY" };
    const byAnn = asked({ project_id: "demo", requested_by: "slack:T0PLAY/U0ANN" });
    expect(requestOf("tokens by:<@U0ANN>", inSlack)).toEqual(byAnn);
    expect(requestOf("audit by:<@U0ANN|ann>", inSlack)).toEqual(byAnn);
    expect(requestOf("audit by:<@U0ANN>")).toEqual({ ok: false, missing: "team", user: "U0ANN" });
    expect(requestOf("tokens by:<@U0ANN>")).toEqual({ ok: false, missing: "team", user: "U0ANN" });
  });

  it("is for the listed tokens of the same second as the time, too, and not for later ones", () => {
    const isRevoked = (issued_at: string) => isRevokedBy({ issued_before: "2026-04-01T09:30:15.200Z" }, { issued_at });
    expect(["09:30:14.999", "09:30:15.900"].map((time) => isRevoked(`2026-04-01T${time}Z`))).toEqual([true, true]);
    expect(isRevoked("2026-04-01T09:30:16.000Z")).toBe(false);
    expect(isRevokedBy({}, { issued_at: "2026-04-01T09:30:16.000Z" })).toBe(true);
  });

  it.each(["tokens lobby", "revoke lobby", "disconnect lobby"])("%j needs the channel's project", (typed) => {
    const missing = { ok: false, missing: "project", channel: "lobby" };
    expect(requestOf(typed, { me: "cli:ann@laptop" })).toEqual(missing);
  });
});

// Less than a second after noon.
const now = when.now + 700;

function tokenRequestOf(typed: string, options: Omit<TokenRequestOptions, "now"> = {}) {
  const parsed = language.parse(typed, { now });
  if (!parsed.ok || parsed.command.name !== "token") throw new Error(`${typed} is no command for a token.`);
  return tokenRequest(parsed.command, { now, ...options });
}

const tenMinutes = { role: "recvonly", expiration_time: "2026-11-21T12:10:00.000Z" };

describe("a token request", () => {
  it.each<[string, Omit<TokenRequestOptions, "now">, object]>([
    ["token", {}, tenMinutes],
    ["token", { project: "demo" }, tenMinutes],
    ["token lobby", { project: "demo" }, { channel_id: "lobby@demo", ...tenMinutes }],
    ["token lobby in:other", { project: "demo" }, { channel_id: "lobby@other", ...tenMinutes }],
    ["token lobby in:other", {}, { channel_id: "lobby@other", ...tenMinutes }],
    ["token lobby@other in:demo", { project: "demo" }, { channel_id: "lobby@other", ...tenMinutes }],
    ["token lobby@demo", {}, { channel_id: "lobby@demo", ...tenMinutes }],
    ["token channel:* role:any", {}, { expiration_time: tenMinutes.expiration_time }],
    ["token channel:* role:both for:2h", {}, { role: "sendrecv", expiration_time: "2026-11-21T14:00:00.000Z" }],
    ["token channel:* for:1500ms", {}, { role: "recvonly", expiration_time: "2026-11-21T12:00:01.000Z" }],
    ["token", { lifetimeMs: 60_000 }, { role: "recvonly", expiration_time: "2026-11-21T12:01:00.000Z" }],
    [
      "token channel:* for:2h",
      { lifetimeMs: 60_000 },
      { role: "recvonly", expiration_time: "2026-11-21T14:00:00.000Z" },
    ],
    ["token channel:* max:0", {}, { ...tenMinutes, max_channel_connections: 0 }],
    [
      "token channel:* starting:1h",
      {},
      { role: "recvonly", not_before: "2026-11-21T13:00:00.000Z", expiration_time: "2026-11-21T13:10:00.000Z" },
    ],
    [
      "token channel:* id:0f9a1c1e-5f0c-4d0e-9d43-2f1d3c1b2a10",
      {},
      { ...tenMinutes, jwt_id: "0f9a1c1e-5f0c-4d0e-9d43-2f1d3c1b2a10" },
    ],
  ])("for %j with %j is %j", (typed, options, request) => {
    expect(tokenRequestOf(typed, options)).toEqual({ ok: true, request });
  });

  it("names the channel if its project is unknown", () => {
    expect(tokenRequestOf('token "main hall" role:any')).toEqual({
      ok: false,
      missing: "project",
      channel: "main hall",
    });
  });

  it("contains only the requested members as JSON", () => {
    const result = tokenRequestOf("token channel:* role:any");
    expect(JSON.parse(JSON.stringify(result.ok && result.request))).toEqual({
      expiration_time: tenMinutes.expiration_time,
    });
  });
});

describe("the template of a join link", () => {
  it.each([
    ["https://meet.example.com/{channel}#token={token}", undefined],
    ["http://127.0.0.1:3000/?project={project}&t={token}", undefined],
    ["https://meet.example.com/", "must contain {token}, which stands for the token"],
    ["https://meet.example.com/{tokn}", "has {tokn}, but only {token}, {channel} and {project} are known"],
    ["javascript:alert('{token}')", "must be an address that begins with https:// or http://"],
    ["https://{token} x", "must be an address that begins with https:// or http://"],
    ["", "must contain {token}, which stands for the token"],
  ])("%s has this fault: %s", (template, fault) => {
    expect(joinLinkFault(template)).toBe(fault);
  });

  it("takes values that have a meaning in addresses", () => {
    const token = { token: "a.b&c", channel: "room #1/2", project: "demo" };
    expect(joinLink("https://meet.example.com/{project}/{channel}#token={token}", token)).toBe(
      "https://meet.example.com/demo/room%20%231%2F2#token=a.b%26c",
    );
  });
});
