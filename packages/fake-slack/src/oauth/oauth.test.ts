import { serveHttp } from "@media-ops/testing/servers";
import { expect, onTestFinished, test } from "vitest";
import { startStubApp } from "../test/acme.js";
import { access, authorizeUrl, codeBy, installing } from "../test/bolt-app.js";
import { Browser } from "./oauth.js";

test.each([
  ["goes straight to Slack", true],
  ["has a link to Slack", false],
])("a person installs a Bolt app whose page %s, and then its command works", async (_, directInstall) => {
  const { slack, team, ann, general, installUrl, installations } = await installing({ directInstall });

  const page = await slack.allow(installUrl, { by: ann });

  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Thank you!");
  expect(slack.save().teams.at(-1)).toMatchObject({ id: team.id, installedBy: ann.id });
  expect(installations.get(team.id)).toMatchObject({
    team: { id: team.id, name: "umbrella" },
    user: { id: ann.id },
    bot: {
      token: team.botToken,
      userId: team.botUserId,
      id: team.botId,
      scopes: slack.app.scopes,
    },
    tokenType: "bot",
    appId: slack.app.id,
    isEnterpriseInstall: false,
  });
  await ann.command("/media", { in: general });
  await expect.poll(() => ann.sees(general).map(({ text }) => text)).toEqual(["ann is in umbrella."]);
});

test("two workspaces have separate installations, and the app responds to each with its own token", async () => {
  const { slack, ann, general, installUrl, installations } = await installing();
  const other = slack.addWorkspace({ name: "other", installed: false });
  const bob = other.addUser({ name: "bob" });
  const place = other.addChannel({ name: "general", members: [bob] });

  await slack.allow(installUrl, { by: ann });
  await slack.allow(installUrl, { by: bob });

  const tokens = [...installations.values()].map(({ bot }) => bot?.token);
  expect(new Set(tokens).size).toBe(2);
  await ann.command("/media", { in: general });
  await bob.command("/media", { in: place });
  await expect.poll(() => ann.sees(general).map(({ text }) => text)).toEqual(["ann is in umbrella."]);
  await expect.poll(() => bob.sees(place).map(({ text }) => text)).toEqual(["bob is in other."]);
});

test("Cancel leads back to the app without an installation", async () => {
  const { slack, team, ann, installUrl, installations } = await installing();

  const page = await slack.deny(installUrl, { by: ann });

  expect(page.status).toBe(500);
  expect(new URL(page.url).searchParams.get("error")).toBe("access_denied");
  expect(team.isInstalled).toBe(false);
  expect(installations.size).toBe(0);
});

test("an app that names a workspace can only be installed in it", async () => {
  const { slack, team, ann } = await installing();
  const eve = slack.addWorkspace({ name: "other", installed: false }).addUser({ name: "eve" });

  const page = await fetch(authorizeUrl(slack, { team: team.id }));
  const text = await page.text();

  expect(text).toContain(ann.id);
  expect(text).not.toContain(eve.id);
});

test("Slack's page escapes the scopes that it lists", async () => {
  const { slack } = await installing();

  const text = await (await fetch(authorizeUrl(slack, { scope: "chat:write,<script>" }))).text();

  expect(text).toContain("<li>chat:write</li><li>&lt;script&gt;</li>");
});

test.each([
  ["another app", { client_id: "3.4" }, "invalid_client_id"],
  ["an unknown redirect URL", { redirect_uri: "https://example.com/" }, "bad_redirect_uri"],
  ["no scopes", { scope: "" }, "invalid_scope"],
])("Slack does not ask for permission with %s", async (_, query, error) => {
  const { slack, ann } = await installing();

  const page = await slack.allow(authorizeUrl(slack, query), { by: ann });

  expect(page.status).toBe(400);
  expect(await page.text()).toContain(error);
});

test("an app without a redirect URL cannot be installed", async () => {
  const { slack, ann } = await installing();
  slack.app.redirectUrl = undefined;

  const page = await slack.allow(authorizeUrl(slack), { by: ann });

  expect(await page.text()).toContain("bad_redirect_uri");
});

test("a link to Slack is unescaped as in a browser", async () => {
  const { slack, ann } = await installing();
  const back = slack.app.redirectUrl ?? "";
  const link = authorizeUrl(slack).replaceAll("&", "&amp;");
  await startStubApp(slack, [{ status: 200, body: `<a href="/help">Help</a> <a href="${link}">Add to Slack</a>` }]);

  const page = await slack.allow(slack.app.requestUrl ?? "", { by: ann });

  expect(page.url.startsWith(`${back}?code=`)).toBe(true);
});

test("a page without a link to Slack is named in the error", async () => {
  const { slack, ann } = await installing();
  const elsewhere = `${slack.url}/nothing`;

  await expect(slack.allow(elsewhere, { by: ann })).rejects.toThrow(`${elsewhere} (HTTP 404)`);
});

test("cookies are sent back, and redirects are followed to the end", async () => {
  const cookies: unknown[] = [];
  const given = [["state=abc=; Secure; HttpOnly", "theme=dark"], ["theme=light; Path=/"]];
  const { url, close } = await serveHttp((request, response) => {
    cookies.push(request.headers.cookie);
    if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else response.writeHead(200, { "set-cookie": given.shift() ?? [] }).end();
  });
  onTestFinished(close);
  const browser = new Browser();

  for (let count = 1; count <= 3; count += 1) await browser.go(url);
  expect(cookies).toEqual(["", "state=abc=; theme=dark", "state=abc=; theme=light"]);
  await expect(browser.go(`${url}/loop`)).rejects.toThrow(`${url}/loop led through more than 10 redirects.`);
});

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

  pass(601_000);

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
