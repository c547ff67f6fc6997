import { serveHttp } from "@media-ops/testing/servers";
import { expect, test } from "vitest";
import { deliver } from "../delivery/deliver.js";
import { authorizeUrl, installing } from "../test/bolt-app.js";
import { addWorkspace, command, startStubApp } from "../test/slack.js";
import { Browser, decideInstall } from "./oauth.js";

test.each([
  ["goes straight to Slack", true],
  ["has a link to Slack", false],
])("a person installs a Bolt app whose page %s, and then its command works", async (_, directInstall) => {
  const { world, team, ann, channel, installUrl, installations } = await installing({ directInstall });

  const page = await decideInstall(world, installUrl, ann, "allow");

  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Thank you!");
  expect(team.installation).toMatchObject({ installedBy: ann.id, scopes: world.app.scopes });
  expect(installations.get(team.id)).toMatchObject({
    team: { id: team.id, name: "acme" },
    user: { id: ann.id },
    bot: {
      token: team.installation?.botToken,
      userId: team.installation?.botUserId,
      id: team.installation?.botId,
      scopes: world.app.scopes,
    },
    tokenType: "bot",
    appId: world.app.id,
    isEnterpriseInstall: false,
  });
  await deliver(world, command(world, ann, channel));
  await expect.poll(() => channel.messages.map(({ text }) => text)).toEqual(["ann is in acme."]);
});

test("two workspaces have separate installations, and the app responds to each with its own token", async () => {
  const { world, ann, channel, installUrl, installations } = await installing();
  const other = addWorkspace(world, "umbrella");
  other.team.installation = undefined;

  await decideInstall(world, installUrl, ann, "allow");
  await decideInstall(world, installUrl, other.bob, "allow");

  const tokens = [...installations.values()].map(({ bot }) => bot?.token);
  expect(new Set(tokens).size).toBe(2);
  await deliver(world, command(world, ann, channel));
  await deliver(world, command(world, other.bob, other.channel));
  await expect.poll(() => channel.messages.map(({ text }) => text)).toEqual(["ann is in acme."]);
  await expect.poll(() => other.channel.messages.map(({ text }) => text)).toEqual(["bob is in umbrella."]);
});

test("Cancel leads back to the app without an installation", async () => {
  const { world, team, ann, installUrl, installations } = await installing();

  const page = await decideInstall(world, installUrl, ann, "deny");

  expect(page.status).toBe(500);
  expect(new URL(page.url).searchParams.get("error")).toBe("access_denied");
  expect(team.installation).toBeUndefined();
  expect(installations.size).toBe(0);
});

test("an app that names a workspace can only be installed in it", async () => {
  const { world, ann, team } = await installing();
  const other = addWorkspace(world, "umbrella");

  const page = await fetch(authorizeUrl(world, { team: team.id }));
  const text = await page.text();

  expect(text).toContain(ann.id);
  expect(text).not.toContain(other.ann.id);
});

test("Slack's page escapes the scopes that it lists", async () => {
  const { world } = await installing();

  const text = await (await fetch(authorizeUrl(world, { scope: "chat:write,<script>" }))).text();

  expect(text).toContain("<li>chat:write</li><li>&lt;script&gt;</li>");
});

test.each([
  ["another app", { client_id: "3.4" }, "invalid_client_id"],
  ["an unknown redirect URL", { redirect_uri: "https://example.com/" }, "bad_redirect_uri"],
  ["no scopes", { scope: "" }, "invalid_scope"],
])("Slack does not ask for permission with %s", async (_, query, error) => {
  const { world, ann } = await installing();

  const page = await decideInstall(world, authorizeUrl(world, query), ann, "allow");

  expect(page.status).toBe(400);
  expect(await page.text()).toContain(error);
});

test("an app without a redirect URL cannot be installed", async () => {
  const { world, ann } = await installing();
  world.app.redirectUrl = undefined;

  const page = await decideInstall(world, authorizeUrl(world), ann, "allow");

  expect(await page.text()).toContain("bad_redirect_uri");
});

test("a link to Slack is unescaped as in a browser", async () => {
  const { world, ann } = await installing();
  const back = world.app.redirectUrl ?? "";
  const link = authorizeUrl(world).replaceAll("&", "&amp;");
  await startStubApp(world, [{ status: 200, body: `<a href="/help">Help</a> <a href="${link}">Add to Slack</a>` }]);

  const page = await decideInstall(world, world.app.requestUrl ?? "", ann, "allow");

  expect(page.url.startsWith(`${back}?code=`)).toBe(true);
});

test("a page without a link to Slack is named in the error", async () => {
  const { world, ann } = await installing();
  const elsewhere = `${world.url}/nothing`;

  await expect(decideInstall(world, elsewhere, ann, "allow")).rejects.toThrow(`${elsewhere} (HTTP 404)`);
});

test("cookies are sent back, and redirects are followed to the end", async () => {
  const cookies: unknown[] = [];
  const given = [["state=abc=; Secure; HttpOnly", "theme=dark"], ["theme=light; Path=/"]];
  const { url } = await serveHttp((request, response) => {
    cookies.push(request.headers.cookie);
    if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else response.writeHead(200, { "set-cookie": given.shift() ?? [] }).end();
  });
  const browser = new Browser();

  for (let count = 1; count <= 3; count += 1) await browser.go(url);
  expect(cookies).toEqual(["", "state=abc=; theme=dark", "state=abc=; theme=light"]);
  await expect(browser.go(`${url}/loop`)).rejects.toThrow(`${url}/loop led through more than 10 redirects.`);
});
