import { setTimeout as pause } from "node:timers/promises";
import {
  auditRequest,
  capital,
  checkRequest,
  type DisconnectRequest,
  deliveriesRequest,
  disconnectRequest,
  EVERY_CHANNEL,
  forShell,
  isRevokedBy,
  joinLink,
  joinLinkFault,
  MOST_LISTED,
  nothingToResend,
  nothingToRevoke,
  type RequestResult,
  type RevokeRequest,
  resendableRequest,
  resendRequest,
  revocableTokensRequest,
  revokeRequest,
  tokenRequest,
  tokensRequest,
} from "@media-ops/commands";
import { formatCount, resendOutcomeWords, splitChannel, type TokenClaims } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import * as terminal from "@media-ops/formatters/terminal";
import {
  type AuditEntry,
  type Deliveries,
  type Delivery,
  MediaApiError,
  MediaConnectionError,
  MediaTimeoutError,
} from "@media-ops/sdk";
import { connect, isUnknownCall } from "./connect.js";
import { type Command, type CommandNamed, language } from "./language.js";
import { deliverFile, MOST_READ, printJson } from "./output.js";
import { createPrompter } from "./prompter.js";
import { CliError, requesterOf, type Session } from "./session.js";

/** Connects a command, with what its request needs to know besides its words, and how it prints what it received. */
async function prepare(command: Command, session: Session) {
  const connected = await connect(session);
  const { project } = connected;
  const { flags, screen, print } = session;
  const title = capital(language.describe(command, { project, ...screen }));
  const show = (value: object, draw: (options: typeof screen & { title: string }) => string): void =>
    flags.json ? printJson(value, session) : print(draw({ ...screen, title }));
  return { ...connected, title, show, known: { project, me: requesterOf(session.world) } };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

function requestIn<T>(result: RequestResult<T> | { readonly ok: false; readonly channel: string }): T {
  if (result.ok) return result.request;
  if ("channel" in result) {
    const whole = `${result.channel}@<project>`;
    throw new CliError(`The channel's project is unknown. Write ${whole}, add in:<project>, or log in with it.`, 2);
  }
  const example = `by:slack:<workspace>/${result.user}`;
  throw new CliError(`A mention names a person in Slack only. Here, write ${example}, as lists show it.`, 2);
}

/** What a list says below its rows if the service has more than the command wants. */
function moreIn({ next_cursor }: { next_cursor?: string }, { last }: { last?: number }) {
  const hasMore = next_cursor !== undefined;
  const note = `To list the newest 1,000, add last:${MOST_LISTED}.`;
  return { hasMore, ...(hasMore && last !== MOST_LISTED && { note }) };
}

const NOTHING_DONE = "Nothing was done.";

/** @throws {CliError} if a command that acts has nobody to ask, and is not confirmed by `--yes`. */
function requireConsent({ world: { stdin, stderr }, flags }: Session): void {
  if (flags.yes || (stdin.isTTY && stderr.isTTY)) return;
  const reason = "This command asks before it acts, and there is no terminal to ask at.";
  throw new CliError(`${reason} ${NOTHING_DONE} Add --yes to run it without the question.`, 2);
}

/** @throws {CliError} if the user does not agree. Text that was typed ahead is no answer. */
async function confirm(question: string, { world: { stdin, stderr } }: Session): Promise<void> {
  const prompter = createPrompter(stdin, stderr);
  try {
    await prompter.drop();
    const isAgreed = await prompter.ask(`${question} [y/N] `, (answer) => /^y(?:es)?$/i.test(answer));
    if (!isAgreed) throw new CliError(NOTHING_DONE);
  } finally {
    await prompter.close();
  }
}

// What is asked about should fit on a screen.
const MOST_SHOWN = 20;

/** The first of the items that a command would affect, for a list before its question. */
function preview<Item>(items: readonly Item[], title: string, { next_cursor }: { next_cursor?: string }) {
  const shown = items.slice(0, MOST_SHOWN);
  const isCut = next_cursor !== undefined;
  if (shown.length === items.length) return { shown, title, hasMore: isCut };
  const count = `${isCut ? "at least " : ""}${formatCount(items.length)}`;
  return { shown, title: `${title}: ${count}, the newest ${MOST_SHOWN} are`, hasMore: true };
}

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
  const { ask, project } = await connect(session);
  const request = requestIn(tokenRequest(command, { now: screen.now, project }));
  const { access_token } = await ask((client, options) => client.tokens.create(request, options));
  const claims = claimsOf(access_token);
  if (flags.json) return printJson({ access_token, claims }, session);
  print(terminal.clean(access_token));
  if (!claims) return say("Cannot read what it allows: it is not a JSON Web Token.");
  const { jti, channel_id } = claims;
  const revocable = typeof jti === "string" ? `media revoke ${forShell(jti)}` : undefined;
  // The name is empty if the token is valid for every channel.
  const { name, project: own = project ?? "" } = splitChannel(typeof channel_id === "string" ? channel_id : "");
  const joinUrl = template && joinLink(template, { token: access_token, channel: name, project: own });
  show(terminal.formatClaims(claims, { ...aside, usage: true, revocable, joinUrl }));
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

// The service reads no longer one.
const LONGEST_TOKEN = 8192;

/** `media token check`: says whether a token is good. It is read from a hidden question, or from the standard input. */
export async function check(command: CommandNamed<"check">, session: Session): Promise<void> {
  const { stdin, stderr } = session.world;
  const { ask, known, show } = await prepare(command, session);
  // Checked before the question: what is missing cannot be typed later.
  requestIn(checkRequest(command, "", known));
  const prompter = createPrompter(stdin, stderr);
  const token = await prompter
    .ask("Access token (hidden): ", tokenIn, { isSecret: true })
    .finally(() => prompter.close());
  const request = requestIn(checkRequest(command, token, known));
  const checked = await ask((client, options) => client.tokens.check(request, options));
  show(checked, (screen) => terminal.formatCheckedToken(checked, screen));
  // A script learns it from the exit code.
  const isGood = checked.active && checked.admission?.allowed !== false;
  if (!isGood) throw new CliError("A client with this token is refused.");
}

/** The token in an answer, which may be a header's value or JSON as `media token --json` prints it. */
function tokenIn(answer: string): string {
  const token = answer.replace(/^Bearer\s+/i, "").replace(/^.*"access_token"\s*:\s*"([^"]*)".*$/, "$1");
  if (token === "") throw new CliError("The token is missing. Pipe it, or type it at the question.", 2);
  const isLong = token.length > LONGEST_TOKEN;
  if (!isLong && /^[\w.-]+$/.test(token)) return token;
  const why = isLong ? `is longer than ${LONGEST_TOKEN} characters` : "contains other characters";
  throw new CliError(`This isn't an access token: it ${why}.`, 2);
}

/** `media tokens`: lists the active access tokens. */
export async function tokens(command: CommandNamed<"tokens">, session: Session): Promise<void> {
  const { ask, known, show } = await prepare(command, session);
  const request = requestIn(tokensRequest(command, known));
  const found = await ask((client, options) => client.tokens.list(request, options));
  show(found, (screen) => terminal.formatTokens(found.tokens, { ...screen, ...moreIn(found, command) }));
}

/** `media revoke`: shows which tokens would end, asks, and ends them. */
export async function revoke(command: CommandNamed<"revoke">, session: Session): Promise<void> {
  requireConsent(session);
  const prepared = await prepare(command, session);
  const request = requestIn(revokeRequest(command, prepared.known));
  if (!session.flags.yes) {
    if (!(await showRevocable(request, prepared, session))) return;
    await confirm(`${prepared.title}?`, session);
  }
  const revoked = await prepared.ask((client, options) => client.tokens.revoke(request, options));
  prepared.show(revoked, (screen) => terminal.formatRevoked(revoked, screen));
  const left = revoked.not_disconnected ?? 0;
  if (left > 0) throw new CliError("The tokens are revoked, but not all of their connections are ended.");
}

async function showRevocable(
  request: RevokeRequest,
  { ask }: Prepared,
  { aside, show, say }: Session,
): Promise<boolean> {
  const { jwt_id, channel_id } = request;
  const found = await ask((client, options) => client.tokens.list(revocableTokensRequest(request), options));
  const affected = found.tokens.filter((token) => isRevokedBy(request, token));
  const { shown, ...heading } = preview(affected, "Tokens that would end", found);
  show(terminal.formatTokens(shown, { ...aside, ...heading }));
  const [token] = affected;
  const nothing = jwt_id === undefined || !token ? undefined : nothingToRevoke(request, token);
  if (nothing !== undefined) say(nothing);
  if (channel_id !== undefined) say("Tokens for every channel that were issued before then are refused there, too.");
  if (jwt_id !== undefined && !token) say("This service has not issued this token, or it ended long ago.");
  return nothing === undefined;
}

/** `media deliveries`: lists webhook deliveries. One that is named by its id is shown with each of its attempts. */
export async function deliveries(command: CommandNamed<"deliveries">, session: Session): Promise<void> {
  const { ask, known, show } = await prepare(command, session);
  const request = deliveriesRequest(command, known);
  const found = await ask((client, options) => client.deliveries.list(request, options));
  const [only, ...others] = found.deliveries;
  const isNamed = command.id !== undefined || command.event !== undefined;
  show(found, (screen) =>
    isNamed && only && others.length === 0
      ? terminal.formatDelivery(only, screen)
      : terminal.formatDeliveries(found.deliveries, { ...screen, ...moreIn(found, command) }),
  );
}

/** `media resend`: shows what would be sent again, asks, and sends it. */
export async function resend(command: CommandNamed<"resend">, session: Session): Promise<void> {
  requireConsent(session);
  const { flags, print, say } = session;
  const prepared = await prepare(command, session);
  const isFollowed = command.id !== undefined && !flags.json;
  const request = resendRequest(command, prepared.known);
  const list = () => prepared.ask((client, options) => client.deliveries.list(resendableRequest(request), options));
  const found = flags.yes && !isFollowed ? undefined : await list();
  if (found && !flags.yes) {
    if (found.deliveries.length === 0) return say(`${nothingToResend(command)} ${NOTHING_DONE}`);
    const { shown, ...heading } = preview(found.deliveries, "To be sent again", found);
    session.show(terminal.formatDeliveries(shown, { ...session.aside, ...heading }));
    await confirm(`Send ${countOf(found)} again?`, session);
  }
  const resent = await prepared.ask((client, options) => client.deliveries.resend(request, options));
  prepared.show(resent, (screen) => terminal.formatResent(resent, screen));
  const [before] = isFollowed ? (found?.deliveries ?? []) : [];
  if (before) print(await outcomeOf(before, prepared, session));
}

function countOf({ deliveries: { length }, next_cursor }: Deliveries): string {
  if (next_cursor !== undefined) return `at least ${formatCount(length)} webhooks`;
  return length === 1 ? "this webhook" : `these ${formatCount(length)} webhooks`;
}

const LOOK_MS = 200;
const PATIENCE_MS = 5000;

/** What became of a delivery that was sent again, if it is tried within some seconds. */
async function outcomeOf(before: Delivery, { ask }: Prepared, { world: { signal } }: Session): Promise<string> {
  const { delivery_id } = before;
  for (let waited = 0; waited <= PATIENCE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS, undefined, { signal });
    const { deliveries } = await ask((client, options) => client.deliveries.list({ delivery_id }, options));
    const words = deliveries[0] && resendOutcomeWords(before, deliveries[0]);
    if (words !== undefined) return words;
  }
  return `It has not been tried yet: media deliveries id:${terminal.clean(delivery_id)} shows when it is.`;
}

/** `media endpoints`: shows the state of the webhook endpoints. */
export async function endpoints(command: CommandNamed<"endpoints">, session: Session): Promise<void> {
  const { ask, project, show } = await prepare(command, session);
  const project_id = command.in ?? project;
  const { endpoints } = await ask((client, options) => client.endpoints.list({ project_id }, options));
  show({ endpoints }, (screen) => terminal.formatEndpoints(endpoints, screen));
}

/** `media endpoints enable`: shows the endpoint, asks, and switches it on. */
export async function enable(command: CommandNamed<"enable">, session: Session): Promise<void> {
  requireConsent(session);
  const { ask, project, show } = await prepare(command, session);
  const { endpoint: kind, in: project_id = project } = command;
  if (!session.flags.yes) {
    const { endpoints } = await ask((client, options) => client.endpoints.list({ project_id }, options));
    const endpoint = endpoints.find((one) => one.kind === kind);
    if (!endpoint) throw new CliError(`The project has no ${kind} endpoint. ${NOTHING_DONE}`);
    session.show(terminal.formatEndpoints([endpoint], session.aside));
    if (endpoint.off_since !== undefined && kind === "event") {
      session.say(`Events that failed meanwhile are not sent again: media resend since:${endpoint.off_since}`);
    }
    await confirm(`Switch the ${kind} endpoint on?`, session);
  }
  const enabled = await ask((client, options) => client.endpoints.enable({ project_id, kind }, options));
  show(enabled, (screen) => terminal.formatEnabled(enabled, screen));
}

/** `media disconnect`: shows how many connections would be ended, asks, and ends them. */
export async function disconnect(command: CommandNamed<"disconnect">, session: Session): Promise<void> {
  requireConsent(session);
  const prepared = await prepare(command, session);
  const request = requestIn(disconnectRequest(command, prepared.known));
  const { connection, channel = "" } = command;
  const name = terminal.clean(channel);
  if (!session.flags.yes) {
    const count = await countConnections(request, prepared);
    if (count === 0) {
      const nobody = connection === undefined ? "Nobody is connected" : "There is no such connection";
      return session.say(`${nobody} in ${name}. ${NOTHING_DONE}`);
    }
    if (count !== undefined) {
      const some = count === 1 ? "1 connection is" : `${formatCount(count)} connections are`;
      session.say(`${connection === undefined ? some : "The connection is"} in ${name} now.`);
    }
    await confirm(`${prepared.title}?`, session);
  }
  await prepared
    .ask((client, options) => client.disconnect(request, options))
    .catch((error) => explain(error, request));
  const what = connection === undefined ? `All connections of ${channel} are` : `Connection ${connection} is`;
  const next = "Clients may connect again while their tokens are good: media revoke ends tokens.";
  prepared.show({ disconnected: true, ...request }, () => `✓ ${terminal.clean(`${what} ended. ${next}`)}`);
}

function explain(error: unknown, { connection_id }: DisconnectRequest): never {
  if (error instanceof MediaConnectionError || error instanceof MediaTimeoutError) {
    throw new CliError("No answer from the service. It may have ended connections anyway: see media live.");
  }
  if (!(error instanceof MediaApiError)) throw error;
  const { status, problem } = error;
  // An answer of the media server itself has no type.
  if (problem.type === "about:blank") {
    throw new CliError(
      status === 404 && connection_id !== undefined
        ? "The media server does not know this connection; it may have ended. See media live <channel> --json for the current ones."
        : `The media server answered ${status}, and may not have ended the connections. See media live.`,
    );
  }
  throw new CliError(
    isUnknownCall(error)
      ? "This service does not pass on calls to the media server's API, so it cannot end connections. Update the service."
      : `The service answered ${status}: ${terminal.clean(problem.detail)}`,
  );
}

/** How many connections would be ended; undefined if the service cannot say who is connected. */
async function countConnections(
  { channel_id, connection_id }: DisconnectRequest,
  { ask }: Prepared,
): Promise<number | undefined> {
  try {
    const { channels } = await ask((client, options) => client.live({ channel_id, limit: MOST_LISTED }, options));
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

/** `media audit`: lists who changed what; as a file all of it, or as many entries as the command wants. */
export async function audit(command: CommandNamed<"audit">, session: Session): Promise<void> {
  const { client, ask, known, show } = await prepare(command, session);
  const request = requestIn(auditRequest(command, known));
  const style = session.flags.json ? "json" : (command.as ?? "table");
  if (style === "table") {
    const found = await ask((client, options) => client.audit.list(request, options));
    return show(found, (screen) => terminal.formatAudit(found.entries, { ...screen, ...moreIn(found, command) }));
  }
  const { limit: most = MOST_READ } = request;
  const page = { ...request, limit: Math.min(most, MOST_LISTED) };
  const all = client.audit.list.all(page, { signal: session.world.signal });
  const entries: AuditEntry[] = [];
  for (;;) {
    const { value: entry } = await ask(() => all.next());
    if (!entry || entries.length === most) {
      if (entry && request.limit === undefined) {
        session.say(`Incomplete: the output ends after ${most} entries. Narrow it down.`);
      }
      break;
    }
    entries.push(entry);
  }
  await deliverFile(style, { csv: () => csv.formatAudit(entries), json: () => jsonl.formatAudit(entries) }, session);
}
