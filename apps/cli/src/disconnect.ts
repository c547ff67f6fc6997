import { capital, type DisconnectRequest, disconnectRequest, MOST_LISTED } from "@media-ops/commands";
import { formatCount } from "@media-ops/formatters";
import * as terminal from "@media-ops/formatters/terminal";
import { MediaApiError, MediaConnectionError, MediaTimeoutError } from "@media-ops/sdk";
import { confirm, NOTHING_DONE, requireConsent } from "./confirm.js";
import { type Connected, connect } from "./connect.js";
import { CliError } from "./errors.js";
import { isUnknownCall } from "./lacking.js";
import { type CommandNamed, language } from "./language.js";
import { knownTo, requestIn } from "./requests.js";
import type { Session } from "./session.js";

type Disconnect = CommandNamed<"disconnect">;

/** `media disconnect`: shows how many connections would be ended, asks, and ends them. */
export async function disconnect(command: Disconnect, session: Session): Promise<void> {
  requireConsent(session);
  const { flags, print, say } = session;
  const connected = await connect(session);
  const request = requestIn(disconnectRequest(command, knownTo(connected, session)));
  const what = capital(language.describe(command, { project: connected.project }));
  if (!flags.yes) {
    const count = await countConnections(request, connected, session);
    if (count === 0) return say(nobodyIn(command));
    if (count !== undefined) say(affectedWords(command, count));
    await confirm(`${what}?`, session);
  }
  await connected.wait(end(request, connected, session));
  if (flags.json) return print(JSON.stringify({ disconnected: true, ...request }));
  print(`✓ ${terminal.clean(doneWords(command))}`);
}

/** @throws {CliError} if they were not ended, with the reason. */
async function end(request: DisconnectRequest, { client }: Connected, { world }: Session): Promise<void> {
  try {
    await client.disconnect(request, { signal: world.signal });
  } catch (error) {
    if (error instanceof MediaConnectionError || error instanceof MediaTimeoutError) throw new CliError(NO_ANSWER);
    if (!(error instanceof MediaApiError)) throw error;
    // An answer of the media server itself has no type.
    if (error.problem.type === "about:blank") throw new CliError(failureOf(error.status, request));
    if (isUnknownCall(error)) throw new CliError(LACKING);
    throw new CliError(`The service answered ${error.status}: ${terminal.clean(error.problem.detail)}`);
  }
}

const NO_ANSWER = "No answer from the service. It may have ended connections anyway: see media live.";
const LACKING =
  "This service does not pass on calls to the media server's API, so it cannot end connections. Update the service.";

/** Why the media server did not end connections. */
function failureOf(status: number, { connection_id }: DisconnectRequest): string {
  return status === 404 && connection_id !== undefined
    ? "The media server does not know this connection; it may have ended. See media live <channel> --json for the current ones."
    : `The media server answered ${status}, and may not have ended the connections. See media live.`;
}

/** How many connections would be ended; undefined if the service cannot say who is connected. */
async function countConnections(
  { channel_id, connection_id }: DisconnectRequest,
  { client, wait }: Connected,
  { world }: Session,
): Promise<number | undefined> {
  try {
    const { channels } = await wait(client.live({ channel_id, limit: MOST_LISTED }, { signal: world.signal }));
    const [channel] = channels;
    if (connection_id === undefined || !channel) return channel?.connections ?? 0;
    const isThere = channel.clients?.some((one) => one.connection_id === connection_id) ?? false;
    // One that is not listed may still be there.
    return isThere || (channel.omitted_clients ?? 0) > 0 ? 1 : 0;
  } catch (error) {
    if (isUnknownCall(error)) return undefined;
    throw error;
  }
}

function nobodyIn({ channel = "", connection }: Disconnect): string {
  const what = connection === undefined ? "Nobody is connected" : "There is no such connection";
  return `${what} in ${terminal.clean(channel)}. ${NOTHING_DONE}`;
}

function affectedWords({ channel = "", connection }: Disconnect, count: number): string {
  const name = terminal.clean(channel);
  if (connection !== undefined) return `The connection is in ${name} now.`;
  return count === 1 ? `1 connection is in ${name} now.` : `${formatCount(count)} connections are in ${name} now.`;
}

function doneWords({ channel = "", connection }: Disconnect): string {
  const what = connection === undefined ? `All connections of ${channel} are` : `Connection ${connection} is`;
  return `${what} ended. Clients may connect again while their tokens are good: media revoke ends tokens.`;
}
