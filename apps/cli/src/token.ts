import { EVERY_CHANNEL, forShell, tokenRequest } from "@media-ops/commands";
import type { TokenClaims } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "./connect.js";
import { CliError } from "./errors.js";
import type { CommandNamed } from "./language.js";
import { harmlessJson } from "./output.js";
import type { Session } from "./session.js";

/** `media token`: a new access token alone on the standard output, and beside it what it allows. */
export async function token(command: CommandNamed<"token">, session: Session): Promise<void> {
  const { world, flags, screen, aside, print, say, show } = session;
  if (command.channel === undefined) throw new CliError(WHICH_CHANNEL, 2);
  const { client, project, wait } = await connect(session);
  const asked = tokenRequest(command, { now: screen.now, project });
  if (!asked.ok) throw new CliError(whichProject(asked.channel), 2);
  const { access_token } = await wait(client.tokens.create(asked.request, { signal: world.signal }));
  const claims = claimsOf(access_token);
  if (flags.json) return print(harmlessJson(JSON.stringify({ access_token, claims })));
  print(terminal.clean(access_token));
  if (claims) show(terminal.formatClaims(claims, aside));
  else say("What it allows can't be read: it is no token of the usual kind.");
}

const WHICH_CHANNEL = `Which channel is the token for? Try: media token lobby. For every channel: media token ${forShell(`channel:${EVERY_CHANNEL}`)}.`;

const whichProject = (channel: string): string =>
  `Which project is the channel in? Write ${channel}@<project>, or add in:<project>, or log in again and name it.`;

/** What a token says. It is not verified: it comes from the service that was asked for it. */
function claimsOf(token: string): TokenClaims | undefined {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof claims === "object" && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
