import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App, HTTPReceiver, type Installation, LogLevel } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import { expect, onTestFinished } from "vitest";
import type { User } from "../world/model.js";
import type { World } from "../world/world.js";
import { clientOptions, quiet } from "./bolt-app.js";
import { startSlack } from "./slack.js";

/** A fake Slack with an app that is not installed yet, and the URL that starts its installation. */
export async function installing({ directInstall = true } = {}) {
  const slack = await startSlack();
  const { world } = slack;
  slack.team.installation = undefined;
  const installations = new Map<string, Installation>();
  const told: unknown[] = [];

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world.app.redirectUrl = `${address}/slack/oauth_redirect`;
  world.app.requestUrl = `${address}/slack/events`;

  const { clientId, clientSecret, signingSecret, scopes } = world.app;
  const receiver = new HTTPReceiver({
    signingSecret,
    clientId,
    clientSecret,
    stateSecret: "state secret",
    redirectUri: world.app.redirectUrl,
    scopes: [...scopes],
    installationStore: {
      storeInstallation: async (installation) => {
        installations.set(installation.team?.id ?? "", installation);
      },
      fetchInstallation: async ({ teamId }) => {
        const installation = installations.get(teamId ?? "");
        if (!installation) throw new Error(`not installed in ${teamId}`);
        return installation;
      },
    },
    installerOptions: {
      directInstall,
      redirectUriPath: "/slack/oauth_redirect",
      authorizationUrl: `${world.url}/oauth/v2/authorize`,
      clientOptions: clientOptions(world),
    },
    logger: quiet,
    logLevel: LogLevel.ERROR,
  });
  const app = new App({ receiver, logger: quiet, clientOptions: clientOptions(world) });
  app.command("/media", async ({ ack, client, command: { user_name }, respond }) => {
    await ack();
    const { team } = await client.auth.test();
    await respond(`${user_name} is in ${team}.`);
  });
  app.event("app_uninstalled", async ({ body }) => void told.push(["app_uninstalled", body.team_id]));
  app.event("tokens_revoked", async ({ event }) => void told.push(["tokens_revoked", event.tokens.bot]));
  server.on("request", receiver.requestListener);
  return { ...slack, installUrl: `${address}/slack/install`, installations, told };
}

/** Requests a token as an app does, with the code of a person. */
export function access(world: World, code: string | undefined, other: Record<string, string> = {}) {
  return new WebClient(undefined, clientOptions(world)).oauth.v2.access({
    client_id: world.app.clientId,
    client_secret: world.app.clientSecret,
    code: code ?? "",
    ...other,
  });
}

/** Allows the app as a person; returns the code that Slack would send to the app. */
export async function codeBy(world: World, user: User, redirectUri?: string): Promise<string> {
  const response = await fetch(authorizeUrl(world, { redirect_uri: redirectUri }), {
    method: "POST",
    body: new URLSearchParams({ user: user.id, decision: "allow" }),
    redirect: "manual",
  });
  const back = new URL(response.headers.get("location") ?? "");
  expect(back.searchParams.get("state")).toBe("a state");
  return back.searchParams.get("code") ?? "";
}

export function authorizeUrl({ app, url }: World, other: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams({ client_id: app.clientId, scope: "commands,chat:write", state: "a state" });
  for (const [name, value] of Object.entries(other)) if (value !== undefined) query.set(name, value);
  return `${url}/oauth/v2/authorize?${query}`;
}
