import { tokenDefaults } from "@media-ops/commands";
import type { TokenClaims } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { connect } from "../connect.js";
import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { harmlessJson } from "../screen/harmless.js";
import type { Session } from "../session.js";

/** `media token`: a new access token alone on the standard output, and beside it what it allows. */
export async function token(command: CommandNamed<"token">, session: Session): Promise<void> {
  const { world, flags, screen, aside, print, say, show } = session;
  const { client, project, wait } = await connect(session);
  const { role, forMs } = { ...tokenDefaults, ...command };
  const now = wholeSecond(screen.now);
  const starting = command.starting === undefined ? undefined : wholeSecond(command.starting);
  const request = {
    channel_id: channelId(command.channel, command.in ?? project),
    role: role === "any" ? undefined : role,
    max_channel_connections: command.max,
    not_before: starting === undefined ? undefined : new Date(starting).toISOString(),
    expiration_time: new Date((starting ?? now) + forMs).toISOString(),
    jwt_id: command.id,
  };
  const { access_token } = await wait(client.tokens.create(request, { signal: world.signal }));
  const claims = claimsOf(access_token);
  if (flags.json) return print(harmlessJson(JSON.stringify({ access_token, claims })));
  print(terminal.clean(access_token));
  if (claims) show(terminal.formatClaims(claims, { ...aside, now }));
  else say("What it allows can't be read: it is no token of the usual kind.");
}

/** A token's times are whole seconds: what is to last for ten minutes is not to say that it lasts for 9 min 59 s. */
const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

/** A channel's whole id; whoever names the channel alone means the key's project. */
function channelId(channel: string | undefined, project: string | undefined): string | undefined {
  if (channel === undefined || channel.includes("@")) return channel;
  if (project !== undefined) return `${channel}@${project}`;
  throw new CliError(
    `Which project is the channel in? Write ${channel}@<project>, or add in:<project>, or log in again and name it.`,
    2,
  );
}

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
