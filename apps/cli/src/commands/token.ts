import { tokenDefaults } from "@media-ops/commands";
import type { TokenClaims } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { CliError } from "../errors.js";
import type { CommandNamed } from "../language.js";
import { connect, type Session } from "../session.js";

/** `media token`: a new access token alone on the standard output, and beside it what it allows. */
export async function token(command: CommandNamed<"token">, session: Session): Promise<void> {
  const { world, flags, screen, print, say } = session;
  const { client, project } = await connect(session);
  const { role, forMs } = { ...tokenDefaults, ...command };
  const begins = command.starting ?? screen.now;
  const request = {
    channel_id: channelId(command.channel, command.in ?? project),
    role: role === "any" ? undefined : role,
    max_channel_connections: command.max,
    not_before: command.starting === undefined ? undefined : new Date(command.starting).toISOString(),
    expiration_time: new Date(begins + forMs).toISOString(),
    jwt_id: command.id,
  };
  const { access_token } = await client.tokens.create(request, { signal: world.signal });
  const claims = claimsOf(access_token);
  if (flags.json) return print(JSON.stringify({ access_token, claims }));
  print(access_token);
  say(terminal.formatClaims(claims, screen));
}

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
function claimsOf(token: string): TokenClaims {
  const [, payload = ""] = token.split(".");
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString()) as TokenClaims;
  } catch {
    return {};
  }
}
