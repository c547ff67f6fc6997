import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUser } from "./test/media.js";
import { type RunningService, startRunningService } from "./test/service.js";

let service: RunningService;
beforeAll(async () => {
  service = await startRunningService(afterAll);
});

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const user = () => newUser({ MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.apiKey, MEDIA_PROJECT_ID: "demo" });

describe("media token", () => {
  it("prints the token alone, and beside it what it allows", async () => {
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

  it("by itself lets its holder receive for ten minutes", async () => {
    const { media } = await user();
    const { out } = await media(["token"]);
    const { iat, exp, role, channel_id } = claimsOf(out);
    expect({ role, channel_id }).toEqual({ role: "recvonly" });
    expect(Math.abs(exp - iat - 600)).toBeLessThanOrEqual(1);
  });

  it("can begin later, bear an id, and be for any role", async () => {
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

  it("gives a program the token with its claims", async () => {
    const { media } = await user();
    const { out, err } = await media(["token", "lobby", "--json"]);
    const { access_token, claims } = JSON.parse(out);
    expect(claimsOf(access_token)).toEqual(claims);
    expect(err).toBe("");
  });

  it("for another project's channel is refused", async () => {
    const { media } = await user();
    const { code, out, err } = await media(["token", "lobby@other"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("✗ This belongs to another project.");
  });
});
