import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { joinLink, joinLinkFault, type TokenRequestOptions, tokenRequest } from "./requests.js";

const now = Date.parse("2026-11-21T12:00:00.700Z");
const language = defineLanguage(coreCommands);

function requestOf(typed: string, options: Omit<TokenRequestOptions, "now"> = {}) {
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
    expect(requestOf(typed, options)).toEqual({ ok: true, request });
  });

  it("names the channel if its project is unknown", () => {
    expect(requestOf('token "main hall" role:any')).toEqual({ ok: false, missing: "project", channel: "main hall" });
  });

  it("contains only the requested members as JSON", () => {
    const result = requestOf("token channel:* role:any");
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
