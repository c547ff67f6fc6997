import { capital, type RevokeRequest, revokeRequest, tokensRequest } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import { confirm, preview, requireConsent } from "./confirm.js";
import { type Connected, connect } from "./connect.js";
import { CliError } from "./errors.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import { knownTo, MOST_LISTED, moreIn, requestIn } from "./requests.js";
import type { Session } from "./session.js";

/** `media tokens`: lists the access tokens that are out. */
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
    await showAffected(request, connected, session);
    await confirm(`${capital(language.describe(command, { project: connected.project, ...session.aside }))}?`, session);
  }
  const revoked = await connected.wait(connected.client.tokens.revoke(request, { signal: world.signal }));
  print(flags.json ? harmlessJson(JSON.stringify(revoked)) : terminal.formatRevoked(revoked, screen));
  const left = revoked.not_disconnected ?? 0;
  if (left > 0) throw new CliError("The tokens are revoked, but not all of their connections are ended.");
}

/** Shows the tokens that would end. */
async function showAffected(
  { project_id, jwt_id, channel_id, issued_before }: RevokeRequest,
  { client, wait }: Connected,
  { world, aside, show, say }: Session,
): Promise<void> {
  const request = { project_id, jwt_id, channel_id, limit: MOST_LISTED };
  const found = await wait(client.tokens.list(request, { signal: world.signal }));
  const before = issued_before === undefined ? Number.POSITIVE_INFINITY : Date.parse(issued_before);
  const affected = found.tokens.filter(({ issued_at }) => Date.parse(issued_at) < before);
  const hasMore = found.next_cursor !== undefined;
  const { shown, ...heading } = preview(affected, { title: "Tokens that would end", hasMore });
  show(terminal.formatTokens(shown, { ...aside, ...heading }));
  if (channel_id !== undefined) say("Tokens for every channel that were issued before then are refused there, too.");
  if (jwt_id !== undefined && affected.length === 0) say("This service has not issued this token, or it has ended.");
}
