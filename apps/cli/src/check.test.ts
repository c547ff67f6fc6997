import { describe, expect, it } from "vitest";
import { startOperations } from "./test/operations.js";

describe("media token check", () => {
  it("reads the token from a pipe, and says that it is good", async () => {
    const { piped, issue } = await startOperations();
    const { access_token, jwt_id } = await issue("lobby@demo");
    for (const input of [
      access_token,
      `${access_token}\n`,
      `Bearer ${access_token}\n`,
      JSON.stringify({ access_token }),
    ]) {
      const { code, out, err } = await piped(input, "token", "check");
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toContain(jwt_id);
      expect(out).not.toContain(access_token);
    }
  });

  it("asks for it at a terminal, and shows nothing of it", async () => {
    const { atTerminal, issue } = await startOperations();
    const { access_token, jwt_id } = await issue("lobby@demo");
    const checking = atTerminal("check");
    await checking.answer("Access token (hidden): ", `${access_token}\n`);
    const { code, out, err } = await checking.ended;
    expect(code).toBe(0);
    expect(out).toContain(jwt_id);
    expect(`${out}${err}`).not.toContain(access_token.slice(0, 20));
  });

  it("says why a token is not good, and what a client would be answered in a channel", async () => {
    const { piped, issue, client } = await startOperations();
    const { access_token, jwt_id } = await issue("lobby@demo");
    expect((await piped(access_token, "check", "channel:stage")).out).toMatch(/wrong-channel|another channel/);
    const json = await piped(access_token, "check", "channel:stage", "--json");
    expect(json).toMatchObject({ code: 1, err: expect.stringContaining("A client with this token is refused.") });
    expect(JSON.parse(json.out)).toMatchObject({
      active: true,
      admission: { allowed: false, reason: "wrong-channel" },
    });
    await client.tokens.revoke({ jwt_id });
    expect(await piped(access_token, "check")).toMatchObject({ code: 1, out: expect.stringContaining("revoked") });
  });

  it.each([
    ["", "The input ended"],
    ["\n", "The token is missing."],
    ["not a token\n", "This isn't an access token"],
    [`${"a".repeat(9000)}\n`, "This isn't an access token: it is longer than 8192 characters."],
  ])("sends nothing for %j", async (input, message) => {
    const { piped, paths } = await startOperations();
    const { code, out, err } = await piped(input, "check");
    expect(code).toBeGreaterThan(0);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(paths()).toEqual([]);
  });

  it("refuses a token among the arguments of any command, which a shell would keep in its history", async () => {
    const { media, issue, paths } = await startOperations();
    const { access_token } = await issue("lobby@demo");
    for (const words of [
      ["token", "check", access_token],
      ["check", `channel:${access_token}`],
      ["token", access_token],
    ]) {
      const { code, out, err } = await media(...words);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("stays in the shell's history");
      expect(err).not.toContain(access_token.slice(0, 20));
    }
    expect(paths()).toEqual([]);
  });
});
