import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { App, type AppOptions, HTTPReceiver, type Installation, LogLevel, SocketModeReceiver } from "@slack/bolt";
import { WebClient, type WebClientOptions } from "@slack/web-api";
import { expect, onTestFinished } from "vitest";
import type { FakeSlack, Person } from "../index.js";
import { quiet, startAcme } from "./acme.js";

/** Registers an app's listeners; its options hold a token or a way to find one. */
export type Listen = (app: App) => void;

/** Starts a Bolt app that receives commands, interactions and events from now on. */
export async function startBoltApp(slack: FakeSlack, options: AppOptions, listen: Listen): Promise<void> {
  const { signingSecret = slack.app.signingSecret, ...others } = options;
  const receiver = new HTTPReceiver({ signingSecret, logger: quiet, logLevel: LogLevel.ERROR });
  listen(new App({ receiver, logger: quiet, clientOptions: clientOptions(slack), ...others }));
  const server = await receiver.start({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => receiver.stop());
  slack.app.requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
}

/** Starts a Bolt app in Socket Mode; resolves when its socket is open. */
export async function startSocketApp(slack: FakeSlack, options: AppOptions, listen: Listen) {
  const receiver = new SocketModeReceiver({
    appToken: slack.app.appToken,
    logger: quiet,
    logLevel: LogLevel.ERROR,
    installerOptions: { clientOptions: clientOptions(slack) },
    // Also the delay before it reconnects.
    clientPingTimeout: 300,
  });
  const app = new App({ receiver, logger: quiet, clientOptions: clientOptions(slack), socketMode: true, ...options });
  listen(app);
  await app.start();
  onTestFinished(() => receiver.client.disconnect());
  const reconnected = (): Promise<void> =>
    new Promise((resolve) => {
      receiver.client.once("connected", () => resolve());
    });
  return { reconnected };
}

function clientOptions({ url }: FakeSlack): WebClientOptions {
  return { slackApiUrl: `${url}/api/`, logger: quiet, retryConfig: { retries: 0 } };
}

/** A fake Slack with an app that is not installed yet, and the URL that starts its installation. */
export async function installing({ directInstall = true } = {}) {
  const { slack, pass } = await startAcme({ scopes: ["commands", "chat:write"] });
  const team = slack.addWorkspace({ name: "umbrella", installed: false });
  const ann = team.addUser({ name: "ann" });
  const general = team.addChannel({ name: "general", members: [ann] });
  const installations = new Map<string, Installation>();
  const told: unknown[] = [];

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  slack.app.redirectUrl = `${address}/slack/oauth_redirect`;
  slack.app.requestUrl = `${address}/slack/events`;

  const { clientId, clientSecret, signingSecret, scopes } = slack.app;
  const receiver = new HTTPReceiver({
    signingSecret,
    clientId,
    clientSecret,
    stateSecret: "state secret",
    redirectUri: slack.app.redirectUrl,
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
      authorizationUrl: `${slack.url}/oauth/v2/authorize`,
      clientOptions: clientOptions(slack),
    },
    logger: quiet,
    logLevel: LogLevel.ERROR,
  });
  const app = new App({ receiver, logger: quiet, clientOptions: clientOptions(slack) });
  app.command("/media", async ({ ack, client, command: { user_name }, respond }) => {
    await ack();
    const { team } = await client.auth.test();
    await respond(`${user_name} is in ${team}.`);
  });
  app.event("app_uninstalled", async ({ body }) => void told.push(["app_uninstalled", body.team_id]));
  app.event("tokens_revoked", async ({ event }) => void told.push(["tokens_revoked", event.tokens.bot]));
  server.on("request", receiver.requestListener);
  return { slack, team, ann, general, pass, installUrl: `${address}/slack/install`, installations, told };
}

/** Requests a token as an app does, with the code of a person. */
export function access(slack: FakeSlack, code: string | undefined, other: Record<string, string> = {}) {
  return new WebClient(undefined, clientOptions(slack)).oauth.v2.access({
    client_id: slack.app.clientId,
    client_secret: slack.app.clientSecret,
    code: code ?? "",
    ...other,
  });
}

/** Allows the app as a person; returns the code that Slack would send to the app. */
export async function codeBy(slack: FakeSlack, user: Person, redirectUri?: string): Promise<string> {
  const response = await fetch(authorizeUrl(slack, { redirect_uri: redirectUri }), {
    method: "POST",
    body: new URLSearchParams({ user: user.id, decision: "allow" }),
    redirect: "manual",
  });
  const back = new URL(response.headers.get("location") ?? "");
  expect(back.searchParams.get("state")).toBe("a state");
  return back.searchParams.get("code") ?? "";
}

export function authorizeUrl({ app, url }: FakeSlack, other: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams({ client_id: app.clientId, scope: "commands,chat:write", state: "a state" });
  for (const [name, value] of Object.entries(other)) if (value !== undefined) query.set(name, value);
  return `${url}/oauth/v2/authorize?${query}`;
}
