import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { json, startAnswering } from "./test/answers.js";
import { newUser } from "./test/media.js";
import { type RunningService, startRunningService } from "./test/service.js";

let service: RunningService;
const atEnd = closeAfterAll();
beforeAll(async () => {
  service = await startRunningService(atEnd);
});

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const user = () => newUser({ MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey, MEDIA_PROJECT_ID: "demo" });

describe("media token", () => {
  it("prints only the token to the standard output, and its terms to the standard error", async () => {
    const { media } = await user();
    const { code, out, err } = await media(["token", "lobby", "role:recvonly", "for:30m", "max:5"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { iat, exp, ...claims } = claimsOf(out);
    expect(claims).toMatchObject({ channel_id: "lobby@demo", role: "recvonly", max_channel_connections: 5 });
    expect(exp - iat).toBeGreaterThanOrEqual(1799);
    expect(exp - iat).toBeLessThanOrEqual(1801);
    expect(err).toContain("receive in lobby (project demo)");
    expect(err).toContain("while fewer than 5 are connected there");
    expect(err).not.toContain("eyJ");
  });

  it.each(["", "for:10m", "show lobby", "lobby?"])("requires an unambiguous channel: %s", async (typed) => {
    const { media } = await user();
    const { code, out, err } = await media(["token", ...typed.split(" ").filter(Boolean)]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/media help token|media token 'channel:\*'/);
  });

  it("lists the active tokens for token list, and creates none", async () => {
    const { media } = await user();
    const before = JSON.parse((await media(["tokens", "--json"])).out);
    const { code, out } = await media(["token", "list"]);
    expect(code).toBe(0);
    expect(out).not.toContain("eyJ");
    expect(JSON.parse((await media(["tokens", "--json"])).out)).toEqual(before);
  });

  it("says how a client passes the token, and how to revoke it", async () => {
    const { media } = await user();
    const { out, err } = await media(["token", "lobby"]);
    expect(err).toContain('{ "access_token": "<token>" }');
    expect(err).toContain(`media revoke ${claimsOf(out).jti}\n`);
  });

  it("shows a link for joining if there is a template, and makes no token if that is wrong", async () => {
    const env = { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey, MEDIA_PROJECT_ID: "demo" };
    const { media } = await newUser({ ...env, MEDIA_JOIN_URL: "https://meet.example.com/{channel}#{token}" });
    const { out, err } = await media(["token", "lobby"]);
    expect(err).toContain(`https://meet.example.com/lobby#${out.trim()}`);
    const wrong = await newUser({ ...env, MEDIA_JOIN_URL: "https://meet.example.com/" });
    const refused = await wrong.media(["token", "lobby"]);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(
      "MEDIA_JOIN_URL must contain {token}, which stands for the token. No token was made.",
    );
  });

  it("for every channel lets its holder receive for ten minutes", async () => {
    const { media } = await user();
    const { out } = await media(["token", "channel:*"]);
    const { iat, exp, role, channel_id } = claimsOf(out);
    expect({ role, channel_id }).toEqual({ role: "recvonly" });
    expect(Math.abs(exp - iat - 600)).toBeLessThanOrEqual(1);
  });

  it("can start later, have an id, and be for any role", async () => {
    const { media } = await user();
    const id = "0f9a1c1e-5f0c-4d0e-9d43-2f1d3c1b2a10";
    const { out } = await media([
      "token",
      "lobby@demo",
      "role:any",
      "starting:2099-01-01T00:00:00Z",
      "for:1h",
      `id:${id}`,
    ]);
    const { nbf, exp, jti, role } = claimsOf(out);
    expect({ nbf, exp, jti, role }).toEqual({ nbf: 4070908800, exp: 4070912400, jti: id });
  });

  it("prints the token with its claims for a program", async () => {
    const { media } = await user();
    const { out, err } = await media(["token", "lobby", "--json"]);
    const { access_token, claims } = JSON.parse(out);
    expect(claimsOf(access_token)).toEqual(claims);
    expect(err).toBe("");
  });

  it("lasts exactly as long as requested, from a whole second on", async () => {
    const { media } = await user();
    const { out, err } = await media(["token", "lobby", "for:10m", "starting:1h"]);
    const { nbf, exp } = claimsOf(out);
    expect(exp - nbf).toBe(600);
    expect(err).toContain("for 10 min.");
    expect((await media(["token", "lobby"])).err).toContain("for 10 min.");
  });

  it("reports an unusual token, and the terminal executes none of it", async () => {
    const url = await startAnswering((_, response) => json(response, { access_token: "\u001b[31mred" }));
    const { media } = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    expect(await media(["token", "channel:*"])).toEqual({
      code: 0,
      out: "␛[31mred\n",
      err: "Cannot read what it allows: it is not a JSON Web Token.\n",
    });
  });

  it("refuses another project's channel", async () => {
    const { media } = await user();
    const { code, out, err } = await media(["token", "lobby@other"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("✗ This belongs to another project.");
  });
});
