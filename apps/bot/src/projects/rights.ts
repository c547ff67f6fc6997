import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { mayConnect } from "../policy/decide.js";
import type { Request } from "../request.js";
import { button, type Draft, mrkdwnMessage, mrkdwnSection, row } from "../slack/blocks.js";
import { typed, whoConnects } from "./words.js";

/** Whether the person may connect projects, disconnect them, and choose the workspace's default. */
export async function mayConnectHere({ config, member }: Pick<Request, "config" | "member">): Promise<boolean> {
  return mayConnect(config.policy, await member());
}

/** Says that the person may not do something, and who can. */
export function notAllowed(what: string, { config }: Pick<Request, "config">): Draft {
  return mrkdwnMessage(`${escapeMrkdwn(what)} Ask ${whoConnects(config.policy)}.`);
}

/** The control that opens the window for connecting a project. */
export const CONNECT = "connect-project";

interface ConnectButtonOptions {
  /** The project that the window then names. @default none */
  project?: string;
  style?: "primary";
}

/** A button of its own and not one that runs the command: a window must be opened before all other work. */
export function connectButton(label: string, { project, style }: ConnectButtonOptions = {}) {
  return button({ label, action: CONNECT, value: project, style });
}

/** Says that there is no project yet, and how to connect one or who can. */
export async function nothingConnected(request: Request): Promise<Draft> {
  const { prefix, config } = request;
  if (await mayConnectHere(request)) {
    const words = "No project is connected yet. Connect one with its address, its name and an API key.";
    return {
      blocks: [mrkdwnSection(words), ...row(connectButton("Connect a project", { style: "primary" }))],
      text: words,
    };
  }
  return mrkdwnMessage(
    `No project is connected yet. Ask ${whoConnects(config.policy)} to type ${typed(prefix, "connect")}.`,
  );
}
