import type { AddressInfo } from "node:net";
import { App, type AppOptions, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";
import { onTestFinished } from "vitest";
import type { World } from "../world/world.js";

/** The parts of a fake Slack that an app needs. */
export type AppsSlack = Pick<World, "app" | "url">;

/** Registers an app's listeners; its options hold a token or a way to find one. */
export type Listen = (app: App) => void;

/** Starts a Bolt app that receives commands, interactions and events from now on. */
export async function startBoltApp(slack: AppsSlack, options: AppOptions, listen: Listen): Promise<void> {
  const { signingSecret = slack.app.signingSecret, ...others } = options;
  const receiver = new HTTPReceiver({ signingSecret, logger: quiet, logLevel: LogLevel.ERROR });
  listen(new App({ receiver, logger: quiet, clientOptions: clientOptions(slack), ...others }));
  const server = await receiver.start({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => receiver.stop());
  slack.app.requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
}

/** Starts a Bolt app in Socket Mode; resolves when its socket is open. */
export async function startSocketApp(slack: AppsSlack, options: AppOptions, listen: Listen) {
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

/** Reads the token of each workspace from the world. */
export function tokensOf(world: World): AppOptions {
  return {
    authorize: async ({ teamId }) => {
      const installation = world.teams.get(teamId ?? "")?.installation;
      if (!installation) throw new Error(`not installed in ${teamId}`);
      return installation;
    },
  };
}

export function clientOptions({ url }: AppsSlack): WebClientOptions {
  return { slackApiUrl: `${url}/api/`, logger: quiet, retryConfig: { retries: 0 } };
}

/** Silences Bolt, which logs the errors that these tests cause on purpose. */
export const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};
