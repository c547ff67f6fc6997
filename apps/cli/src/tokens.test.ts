import { describe, expect, it } from "vitest";
import { startOperations } from "./test/operations.js";

const LIST = "/projects/list-access-tokens";
const REVOKE = "/projects/revoke-access-token";

describe("media tokens", () => {
  it("lists the active tokens, and who requested them, without the tokens themselves", async () => {
    const { media, issue } = await startOperations();
    const { jwt_id, access_token } = await issue("lobby@demo");
    for (const words of [["tokens"], ["token", "list"], ["tokens", "lobby", "recvonly"], ["list", "tokens"]]) {
      const { code, out, err } = await media(...words);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(jwt_id);
      expect(out).toContain("slack:T0PLAY/U0ANN");
      expect(out).not.toContain(access_token);
    }
    expect((await media("tokens", "stage")).out).not.toContain(jwt_id);
  });

  it("never creates one, however it is asked for a list", async () => {
    const { media, fake } = await startOperations();
    for (const words of ["tokens", "token list", "tokens list", "which tokens are out"])
      await media(...words.split(" "));
    expect(new Set(fake.calls.map(({ path }) => path))).toEqual(new Set([LIST]));
  });

  it("lists those that this user requested", async () => {
    const { media, issue } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    await media("token", "stage");
    const { out } = await media("tokens", "by:me");
    expect(out).toContain("stage");
    expect(out).toContain("cli:ann@laptop");
    expect(out).not.toContain(jwt_id);
    expect((await media("tokens", "by:slack:T0PLAY/U0ANN")).out).toContain(jwt_id);
  });

  it("says that a mention names a person in Slack only", async () => {
    const { media } = await startOperations();
    const { code, err } = await media("tokens", "by:<@U0ANN>");
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("by:slack:<workspace>/U0ANN") });
  });

  it("says how to list more if there are more", async () => {
    const { media, issue } = await startOperations();
    for (let count = 0; count < 3; count++) await issue("lobby@demo");
    expect((await media("tokens", "last:2")).out).toContain("add last:1000");
    expect((await media("tokens")).out).not.toContain("last:1000");
  });

  it("prints the service's answer for a program", async () => {
    const { media, issue } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const { out } = await media("tokens", "--json");
    expect(JSON.parse(out)).toMatchObject({ tokens: [{ jwt_id, state: "active" }] });
  });
});

describe("media revoke", () => {
  it("shows the token at a terminal, asks, and ends it", async () => {
    const { atTerminal, issue, client, fake } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const revoking = atTerminal("revoke", jwt_id);
    await revoking.answer("[y/N]", "y\n");
    const { code, out, err } = await revoking.ended;
    expect(code).toBe(0);
    expect(err).toMatch(/Tokens that would end[\s\S]*lobby[\s\S]*Revoke token .* of demo\? \[y\/N\]/);
    expect(out).toContain("is revoked.");
    expect((await client.tokens.list({ include_ended: true })).tokens).toMatchObject([
      { jwt_id, state: "revoked", revoked_by: "cli:ann@laptop" },
    ]);
    expect(fake.calls.at(-2)?.headers.get("x-requested-by")).toBe("cli:ann@laptop");
  });

  it.each(["\n", "n\n", "maybe\n"])("does nothing if the answer is %j", async (answer) => {
    const { atTerminal, issue, paths } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const revoking = atTerminal("revoke", jwt_id);
    await revoking.answer("[y/N]", answer);
    const { code, out, err } = await revoking.ended;
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/Nothing was done\.\n$/);
    expect(paths()).toEqual([LIST]);
  });

  it("takes nothing that was typed before its question for the answer", async () => {
    const { atTerminal, issue, paths } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const revoking = atTerminal("revoke", jwt_id);
    await revoking.answer("", "y\ny\ny\n");
    await revoking.answer("[y/N]", "\n");
    expect((await revoking.ended).code).toBe(1);
    expect(paths()).not.toContain(REVOKE);
  });

  it("does nothing after Ctrl-C at its question", async () => {
    const { atTerminal, issue, paths } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const revoking = atTerminal("revoke", jwt_id);
    await revoking.answer("[y/N]", "\u0003");
    expect((await revoking.ended).code).toBe(130);
    expect(paths()).not.toContain(REVOKE);
  });

  it("shows only those tokens of a channel that were issued before the time", async () => {
    const { atTerminal, issue, fake } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const other = await issue("stage@demo");
    const all = atTerminal("revoke", "lobby", "disconnect");
    await all.answer("[y/N]", "y\n");
    const { code, err } = await all.ended;
    expect(code).toBe(0);
    expect(err).toContain(jwt_id);
    expect(err).not.toContain(other.jwt_id);
    expect(err).toContain("Tokens for every channel");
    expect(fake.calls.at(-1)?.body).toEqual({ project_id: "demo", channel_id: "lobby@demo", disconnect: true });
    const older = atTerminal("revoke", "stage", "before:1h");
    await older.answer("[y/N]", "n\n");
    expect((await older.ended).err).not.toContain(other.jwt_id);
  });

  it("ends a token without a terminal only with --yes", async () => {
    const { media, issue, paths } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    const { code, out, err } = await media("revoke", jwt_id);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("Nothing was done. Add --yes");
    expect(paths()).toEqual([]);
    const revoked = await media("revoke", jwt_id, "--yes", "--json");
    expect(revoked).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(revoked.out)).toMatchObject({ jwt_id, tokens: 1 });
    expect(paths()).toEqual([REVOKE]);
  });

  it("says that this service has not issued a token", async () => {
    const { atTerminal } = await startOperations();
    const revoking = atTerminal("revoke", "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11");
    await revoking.answer("[y/N]", "y\n");
    const { code, err } = await revoking.ended;
    expect(code).toBe(0);
    expect(err).toContain("This service has not issued this token, or it ended long ago.");
  });

  it("says that there is nothing to do for a token that was revoked, unless its clients are to be disconnected", async () => {
    const { atTerminal, issue, media, paths } = await startOperations();
    const { jwt_id } = await issue("lobby@demo");
    await media("revoke", jwt_id, "--yes");
    const { code, err } = await atTerminal("revoke", jwt_id).ended;
    expect(code).toBe(0);
    expect(err).toContain("Nothing to do: this token has been revoked already.");
    const disconnecting = atTerminal("revoke", jwt_id, "disconnect");
    await disconnecting.answer("[y/N]", "y\n");
    expect((await disconnecting.ended).code).toBe(0);
    expect(paths().filter((path) => path === REVOKE)).toHaveLength(2);
  });
});
