import type { Request } from "../request.js";
import { row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection } from "../slack/sections.js";
import { connectButton } from "./connect-button.js";
import { mayConnectHere } from "./may-connect.js";
import { typed, whoConnects } from "./words.js";

/** What is said as long as there is no project: how to connect one, or who can. */
export async function nothingConnected(request: Request): Promise<Draft> {
  const { prefix, config } = request;
  if (await mayConnectHere(request)) {
    const words = "No project is connected yet. Connect one with its address, its name and an API key.";
    return {
      blocks: [markedSection(words), ...row(connectButton("Connect a project", { style: "primary" }))],
      text: words,
    };
  }
  const words = `No project is connected yet. Ask ${whoConnects(config.policy)} to type ${typed(prefix, "connect")}.`;
  return { blocks: [markedSection(words)], text: words };
}
