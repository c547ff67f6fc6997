import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { json, startAnswering, startRunningService } from "./test/services.js";
import { type Ended, errOf, newUser } from "./test/user.js";

let env: Record<string, string>;
let media: (...words: string[]) => Promise<Ended>;
const atEnd = closeAfterAll();
beforeAll(async () => {
  env = { ...(await startRunningService(atEnd)).env, MEDIA_PROJECT_ID: "demo" };
  media = (await newUser(env, atEnd)).run;
});

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

describe("media token", () => {
  it("prints only the token to the standard output, and its terms to the standard error", async () => {
    const { code, out, err } = await media("token", "lobby", "role:recvonly", "for:30m", "max:5");
    expect(code).toBe(0);
    expect(out).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const { iat, exp, jti, ...claims } = claimsOf(out);
    expect(claims).toMatchObject({ channel_id: "lobby@demo", role: "recvonly", max_channel_connections: 5 });
    expect(Math.abs(exp - iat - 1800)).toBeLessThanOrEqual(1);
    for (const terms of ["receive in lobby (project demo)", "while fewer than 5 are connected there"]) {
      expect(err).toContain(terms);
    }
    expect(err).not.toContain("eyJ");
    // How a client passes the token, and how to revoke it.
    expect(err).toContain('{ "access_token": "<token>" }');
    expect(err).toContain(`media revoke ${jti}\n`);
  });

  it.each(["", "for:10m", "show lobby", "lobby?"])("requires an unambiguous channel: %s", async (typed) => {
    const err = await errOf(media("token", ...typed.split(" ").filter(Boolean)), 2);
    expect(err).toMatch(/media help token|media token 'channel:\*'/);
  });

  it("shows a link for joining if there is a template, and makes no token if that is wrong", async () => {
    const { run } = await newUser({ ...env, MEDIA_JOIN_URL: "https://meet.example.com/{channel}#{token}" });
    const { out, err } = await run("token", "lobby");
    expect(err).toContain(`https://meet.example.com/lobby#${out.trim()}`);
    const wrong = await newUser({ ...env, MEDIA_JOIN_URL: "https://meet.example.com/" });
    const refused = await wrong.run("token", "lobby");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain(
      "MEDIA_JOIN_URL must contain {token}, which stands for the token. No token was made.",
    );
  });

  it("for every channel lets its holder receive for ten minutes", async () => {
    const { iat, exp, role, channel_id } = claimsOf((await media("token", "channel:*")).out);
    expect({ role, channel_id }).toEqual({ role: "recvonly" });
    expect(Math.abs(exp - iat - 600)).toBeLessThanOrEqual(1);
  });

  it("can start later, have an id, and be for any role", async () => {
    const id = "0f9a1c1e-5f0c-4d0e-9d43-2f1d3c1b2a10";
    const terms = ["role:any", "starting:2099-01-01T00:00:00Z", "for:1h", `id:${id}`];
    const { nbf, exp, jti, role } = claimsOf((await media("token", "lobby@demo", ...terms)).out);
    expect({ nbf, exp, jti, role }).toEqual({ nbf: 4070908800, exp: 4070912400, jti: id });
  });

  it("prints the token with its claims for a program", async () => {
    const { out, err } = await media("token", "lobby", "--json");
    const { access_token, claims } = JSON.parse(out);
    expect(claimsOf(access_token)).toEqual(claims);
    expect(err).toBe("");
  });

  it("lasts exactly as long as requested, from a whole second on", async () => {
    const { out, err } = await media("token", "lobby", "for:10m", "starting:1h");
    const { nbf, exp } = claimsOf(out);
    expect(exp - nbf).toBe(600);
    expect(err).toContain("for 10 min.");
    expect((await media("token", "lobby")).err).toContain("for 10 min.");
  });

  it("reports an unusual token, and the terminal executes none of it", async () => {
    const url = await startAnswering((_, response) => json(response, { access_token: "\u001b[31mred" }));
    const { run } = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    expect(await run("token", "channel:*")).toEqual({
      code: 0,
      out: "␛[31mred\n",
      err: "Cannot read what it allows: it is not a JSON Web Token.\n",
    });
  });

  it("refuses another project's channel", async () => {
    const err = await errOf(media("token", "lobby@other"));
    expect(err).toContain("✗ This belongs to another project.");
  });
});
