import { EVERY_CHANNEL, forShell, joinLink, joinLinkFault, tokenRequest } from "@media-ops/commands";
import { splitChannel, type TokenClaims } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "./connect.js";
import { CliError } from "./errors.js";
import type { CommandNamed } from "./language.js";
import { harmlessJson } from "./output.js";
import { unknownProject } from "./requests.js";
import type { Session } from "./session.js";

/** `media token`: prints only a new access token to the standard output, and its terms to the standard error. */
export async function token(command: CommandNamed<"token">, session: Session): Promise<void> {
  const { world, flags, screen, aside, print, say, show } = session;
  if (command.channel === undefined) {
    const everyChannel = `media token ${forShell(`channel:${EVERY_CHANNEL}`)}`;
    throw new CliError(`A channel is missing. Try: media token lobby. For every channel: ${everyChannel}.`, 2);
  }
  const template = world.env.MEDIA_JOIN_URL || undefined;
  const fault = template === undefined ? undefined : joinLinkFault(template);
  if (fault !== undefined) throw new CliError(`MEDIA_JOIN_URL ${fault}. No token was made.`, 2);
  const { client, project, wait } = await connect(session);
  const result = tokenRequest(command, { now: screen.now, project });
  if (!result.ok) throw unknownProject(result.channel);
  const { access_token } = await wait(client.tokens.create(result.request, { signal: world.signal }));
  const claims = claimsOf(access_token);
  if (flags.json) return print(harmlessJson(JSON.stringify({ access_token, claims })));
  print(terminal.clean(access_token));
  if (!claims) return say("Cannot read what it allows: it is not a JSON Web Token.");
  const { jti } = claims;
  const revocable = typeof jti === "string" ? `media revoke ${forShell(jti)}` : undefined;
  const joinUrl = template && joinLink(template, { token: access_token, ...placeOf(claims, project) });
  show(terminal.formatClaims(claims, { ...aside, usage: true, revocable, joinUrl }));
}

/** The name and the project of a token's channel; a name is empty if the token is valid for every channel. */
function placeOf({ channel_id }: TokenClaims, project: string | undefined) {
  const { name, project: own } = splitChannel(typeof channel_id === "string" ? channel_id : "");
  return { channel: name, project: own ?? project ?? "" };
}

/** The claims of a token, which is received directly from the service and not verified. */
function claimsOf(token: string): TokenClaims | undefined {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    return typeof claims === "object" && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
