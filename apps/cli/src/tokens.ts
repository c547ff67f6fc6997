import {
  capital,
  isRevokedBy,
  nothingToRevoke,
  type RevokeRequest,
  revocableTokensRequest,
  revokeRequest,
  tokensRequest,
} from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { confirm, preview, requireConsent } from "./confirm.js";
import { type Connected, connect } from "./connect.js";
import { CliError } from "./errors.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import { knownTo, moreIn, requestIn } from "./requests.js";
import type { Session } from "./session.js";

/** `media tokens`: lists the active access tokens. */
export async function tokens(command: CommandNamed<"tokens">, session: Session): Promise<void> {
  const { world, flags, screen, print } = session;
  const connected = await connect(session);
  const request = requestIn(tokensRequest(command, knownTo(connected, session)));
  const found = await connected.wait(connected.client.tokens.list(request, { signal: world.signal }));
  if (flags.json) return print(harmlessJson(JSON.stringify(found)));
  const title = capital(language.describe(command, { project: connected.project }));
  print(terminal.formatTokens(found.tokens, { ...screen, title, ...moreIn(found, command.last) }));
}

type Revoke = CommandNamed<"revoke">;

/** `media revoke`: shows which tokens would end, asks, and ends them. */
export async function revoke(command: Revoke, session: Session): Promise<void> {
  requireConsent(session);
  const { world, flags, screen, print } = session;
  const connected = await connect(session);
  const request = requestIn(revokeRequest(command, knownTo(connected, session)));
  if (!flags.yes) {
    const isPossible = await showAffected(request, connected, session);
    if (!isPossible) return;
    await confirm(`${capital(language.describe(command, { project: connected.project, ...session.aside }))}?`, session);
  }
  const revoked = await connected.wait(connected.client.tokens.revoke(request, { signal: world.signal }));
  print(flags.json ? harmlessJson(JSON.stringify(revoked)) : terminal.formatRevoked(revoked, screen));
  const left = revoked.not_disconnected ?? 0;
  if (left > 0) throw new CliError("The tokens are revoked, but not all of their connections are ended.");
}

/** Shows the tokens that would end, and returns whether there is something to do. */
async function showAffected(
  revoked: RevokeRequest,
  { client, wait }: Connected,
  { world, aside, show, say }: Session,
): Promise<boolean> {
  const { jwt_id, channel_id } = revoked;
  const found = await wait(client.tokens.list(revocableTokensRequest(revoked), { signal: world.signal }));
  const affected = found.tokens.filter((token) => isRevokedBy(revoked, token));
  const hasMore = found.next_cursor !== undefined;
  const { shown, ...heading } = preview(affected, { title: "Tokens that would end", hasMore });
  show(terminal.formatTokens(shown, { ...aside, ...heading }));
  const [token] = affected;
  const nothing = jwt_id === undefined || !token ? undefined : nothingToRevoke(revoked, token);
  if (nothing !== undefined) say(nothing);
  if (channel_id !== undefined) say("Tokens for every channel that were issued before then are refused there, too.");
  if (jwt_id !== undefined && !token) say("This service has not issued this token, or it ended long ago.");
  return nothing === undefined;
}
