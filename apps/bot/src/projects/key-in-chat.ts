import type { Request } from "../request.js";
import { row } from "../slack/controls.js";
import type { Draft } from "../slack/draft.js";
import { markedSection } from "../slack/sections.js";
import { holdsSecret } from "../text/typed-secrets.js";
import { connectButton } from "./connect-button.js";
import { mayConnectHere } from "./may-connect.js";
import { typed } from "./words.js";

/** What is answered to a text that holds a key or a token, without a word of it; undefined where it holds none. */
export async function keyInChat(
  text: string,
  request: Pick<Request, "prefix" | "config" | "member">,
): Promise<Draft | undefined> {
  if (!holdsSecret(text)) return undefined;
  const words = "*What you typed holds a key or a token, so nothing was done with it.*";
  const next = `Revoke it: it may now stand in Slack's history. API keys are given in a window, which ${typed(request.prefix, "connect")} opens.`;
  const isAllowed = await mayConnectHere(request);
  return {
    blocks: [
      markedSection(`${words} ${next}`),
      ...row(isAllowed ? connectButton("Connect a project", { style: "primary" }) : undefined),
    ],
    text: `${words} ${next}`,
  };
}
