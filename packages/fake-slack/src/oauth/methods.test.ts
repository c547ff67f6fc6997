import { expect, test } from "vitest";
import { access, codeBy, installing } from "../test/bolt-app.js";

const MINUTE = 60_000;

test("a code can be exchanged once", async () => {
  const { slack, team, ann } = await installing();
  const code = await codeBy(slack, ann);

  const issued = await access(slack, code);
  expect(issued).toMatchObject({
    ok: true,
    app_id: slack.app.id,
    authed_user: { id: ann.id },
    scope: "commands,chat:write",
    token_type: "bot",
    access_token: team.botToken,
    bot_user_id: team.botUserId,
    team: { id: team.id, name: "umbrella" },
    enterprise: null,
    is_enterprise_install: false,
  });
  await expect(access(slack, code)).rejects.toMatchObject({ data: { ok: false, error: "code_already_used" } });
});

test("a code is valid for ten minutes", async () => {
  const { slack, ann, pass } = await installing();
  const code = await codeBy(slack, ann);

  pass(10 * MINUTE + 1000);

  await expect(access(slack, code)).rejects.toMatchObject({ data: { error: "invalid_code" } });
});

test.each([
  ["an unknown code", { code: "none" }, "invalid_code"],
  ["another app's id", { client_id: "3.4" }, "invalid_client_id"],
  ["a wrong secret", { client_secret: "wrong" }, "bad_client_secret"],
  ["a redirect URL that differs from the first request", { redirect_uri: "https://example.com/" }, "bad_redirect_uri"],
])("no token is issued for %s", async (_, other, error) => {
  const { slack, team, ann } = await installing();

  await expect(access(slack, await codeBy(slack, ann), other)).rejects.toMatchObject({ data: { error } });

  expect(team.isInstalled).toBe(false);
});

test("an app that sent a redirect URL must repeat it", async () => {
  const { slack, ann } = await installing();
  const redirectUri = `${slack.app.redirectUrl}/below`;
  const code = await codeBy(slack, ann, redirectUri);

  await expect(access(slack, code)).rejects.toMatchObject({ data: { error: "bad_redirect_uri" } });
  expect(await access(slack, code, { redirect_uri: redirectUri })).toMatchObject({ ok: true });
});
