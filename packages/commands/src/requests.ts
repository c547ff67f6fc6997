import type { CreateAccessTokenRequest, ResendDeliveriesRequest, RevokeAccessTokenRequest } from "@media-ops/contract";
import { type CoreCommand, tokenDefaults } from "./commands.js";
import { type CheckCommand, isDeliveryId, type OperationCommand, type Person } from "./operations.js";
import { EVERY_CHANNEL } from "./values.js";

type Command = CoreCommand | OperationCommand;
type CommandNamed<Name extends Command["name"]> = Extract<Command, { name: Name }>;

/** What a program knows besides the command. */
export interface OperationOptions {
  /** The project if neither the channel nor the command names one. */
  readonly project?: string | undefined;
  /** The name by which this program requests things for the person who types: `slack:T0PLAY/U0ANN`. */
  readonly me: string;
  /** The id of Slack's workspace; absent in a terminal, where a mention means nobody. */
  readonly team?: string | undefined;
}

/** The body of a request with the API's names, or what is missing for it. */
export type RequestResult<T> =
  | { readonly ok: true; readonly request: T }
  /** The channel's project is unknown. */
  | { readonly ok: false; readonly missing: "project"; readonly channel: string }
  /** A person was mentioned as in Slack, outside of it. */
  | { readonly ok: false; readonly missing: "team"; readonly user: string };

const ready = <T>(request: T): RequestResult<T> => ({ ok: true, request });

/** The project of a request, and the whole id of its channel: with that project, unless the channel names one. */
function placeOf(channel: string | undefined, project_id: string | undefined) {
  const isWhole = channel === undefined || channel.includes("@");
  if (!isWhole && project_id === undefined) return { ok: false, missing: "project", channel } as const;
  return { ok: true, place: { project_id, channel_id: isWhole ? channel : `${channel}@${project_id}` } } as const;
}

/** The most that a service lists at once. */
export const MOST_LISTED = 1000;

/** A request of the contract, whose members may also be undefined. */
type Body<Request> = { [Name in keyof Request]: Request[Name] | undefined };

/** The body of a request for an access token that ends. */
export type TokenRequest = Body<CreateAccessTokenRequest> & { expiration_time: string };

/** What {@link tokenRequest} needs besides the command. */
export interface TokenRequestOptions {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /** The project if neither the channel nor the command names one. */
  readonly project?: string | undefined;
  /** The lifetime if the command sets none. @default 10 minutes, as in `tokenDefaults` */
  readonly lifetimeMs?: number | undefined;
}

/** The request for a `token` command. Token times are whole seconds, so that ten minutes are exactly ten minutes. */
export function tokenRequest(
  command: CommandNamed<"token">,
  { now, project, lifetimeMs = tokenDefaults.forMs }: TokenRequestOptions,
) {
  const { role = tokenDefaults.role, forMs = lifetimeMs, max, id, starting } = command;
  const channel = command.channel === EVERY_CHANNEL ? undefined : command.channel;
  const placed = placeOf(channel, command.in ?? project);
  if (!placed.ok) return placed;
  const request: TokenRequest = {
    channel_id: placed.place.channel_id,
    role: role === "any" ? undefined : role,
    max_channel_connections: max,
    not_before: timestamp(starting === undefined ? undefined : wholeSecond(starting)),
    expiration_time: new Date(wholeSecond(wholeSecond(starting ?? now) + forMs)).toISOString(),
    jwt_id: id,
  };
  return { ok: true, request } as const;
}

const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

function timestamp(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

function personOf(person: Person | undefined, me: string, team: string | undefined): RequestResult<string | undefined> {
  if (person?.is !== "slack") return ready(person?.is === "me" ? me : person?.name);
  const { user } = person;
  return team === undefined ? { ok: false, missing: "team", user } : ready(`slack:${team}/${user}`);
}

/** The request for `tokens`. */
export function tokensRequest(
  { channel, id, role, all, by, last, in: named }: CommandNamed<"tokens">,
  { project, me, team }: OperationOptions,
) {
  const placed = placeOf(channel, named ?? project);
  if (!placed.ok) return placed;
  const who = personOf(by, me, team);
  if (!who.ok) return who;
  const include_ended = all === true || id !== undefined || undefined;
  return ready({ ...placed.place, jwt_id: id, role, requested_by: who.request, include_ended, limit: last });
}

/** The body of a request that revokes tokens. */
export type RevokeRequest = Body<RevokeAccessTokenRequest>;

/** The request for `revoke`. */
export function revokeRequest(
  { id, channel, before, disconnect, in: named }: CommandNamed<"revoke">,
  { project }: OperationOptions,
): RequestResult<RevokeRequest> {
  const placed = placeOf(channel, named ?? project);
  if (!placed.ok) return placed;
  return ready({ ...placed.place, jwt_id: id, issued_before: timestamp(before), disconnect });
}

/** The request that lists the tokens that a `revoke` may end: with the one that it names, even if that has ended. */
export function revocableTokensRequest({ project_id, jwt_id, channel_id }: RevokeRequest) {
  return { project_id, jwt_id, channel_id, include_ended: jwt_id !== undefined || undefined, limit: MOST_LISTED };
}

/** Whether a `revoke` is for a listed token, too. A token knows the second in which it was issued. */
export function isRevokedBy({ issued_before }: RevokeRequest, { issued_at }: { readonly issued_at: string }): boolean {
  return issued_before === undefined || wholeSecond(Date.parse(issued_at)) < Date.parse(issued_before);
}

/** Why a `revoke` of a listed token would change nothing; undefined if it would. */
export function nothingToRevoke(
  { disconnect }: RevokeRequest,
  { state }: { readonly state: string },
): string | undefined {
  // The clients of a token that was revoked may still be connected.
  if (state === "revoked" && disconnect !== true) return "Nothing to do: this token has been revoked already.";
  return state === "expired" ? "Nothing to do: this token has ended." : undefined;
}

/** The request for `check`, with the token that was read elsewhere. */
export function checkRequest(
  { channel, role, in: named }: CheckCommand,
  access_token: string,
  { project }: OperationOptions,
) {
  const placed = placeOf(channel, named ?? project);
  return placed.ok ? ready({ ...placed.place, access_token, role }) : placed;
}

/** The request for `deliveries`. */
export function deliveriesRequest(
  { state, type, since, until, event, id, last, in: named }: CommandNamed<"deliveries">,
  { project }: OperationOptions,
) {
  const period = { since: timestamp(since), until: timestamp(until) };
  return { project_id: named ?? project, delivery_id: id, event_id: event, state, type, ...period, limit: last };
}

type ResendRequest = Body<ResendDeliveriesRequest>;

/** The request for `resend`. An id is a delivery's if it has the form of one, unless the command says whose it is. */
export function resendRequest(
  { id, is, since, until, type, in: named }: CommandNamed<"resend">,
  { project }: OperationOptions,
): ResendRequest {
  const project_id = named ?? project;
  if (id === undefined) return { project_id, since: timestamp(since), until: timestamp(until), type };
  const isDelivery = is === undefined ? isDeliveryId(id) : is === "delivery";
  return isDelivery ? { project_id, delivery_id: id } : { project_id, event_id: id };
}

/** The request that lists what a `resend` would send again: the delivery that it names, or those that have failed. */
export function resendableRequest({ delivery_id, event_id, ...period }: ResendRequest) {
  const state = delivery_id === undefined && event_id === undefined ? ("failed" as const) : undefined;
  return { ...period, delivery_id, event_id, state, limit: MOST_LISTED };
}

/** Why a `resend` finds nothing to send. */
export function nothingToResend({ id }: CommandNamed<"resend">): string {
  const what = id === undefined ? "No delivery has failed in this period" : "There is no such delivery";
  return `${what}: delivered ones are kept for a day, failed ones for 30 days.`;
}

/** The body of a call of the media server's API that ends connections. */
export interface DisconnectRequest {
  channel_id: string;
  /** Absent for all connections of the channel. */
  connection_id?: string | undefined;
}

/** The request for `disconnect`. */
export function disconnectRequest(
  { channel = "", connection, in: named }: CommandNamed<"disconnect">,
  { project }: OperationOptions,
): RequestResult<DisconnectRequest> {
  const placed = placeOf(channel, named ?? project);
  return placed.ok ? ready({ channel_id: placed.place.channel_id ?? "", connection_id: connection }) : placed;
}

/** The request for `audit`. */
export function auditRequest(
  { since, until, by, action, last, in: named }: CommandNamed<"audit">,
  { project, me, team }: OperationOptions,
) {
  const who = personOf(by, me, team);
  if (!who.ok) return who;
  const period = { since: timestamp(since), until: timestamp(until) };
  return ready({ project_id: named ?? project, ...period, action, requested_by: who.request, limit: last });
}

const PLACEHOLDER = /\{(\w*)\}/g;
const placeholders: ReadonlySet<string> = new Set(["token", "channel", "project"]);

/** What is wrong with the template of a join link; undefined if nothing is. */
export function joinLinkFault(template: string): string | undefined {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !placeholders.has(name));
  if (unknown !== undefined) return `has {${unknown}}, but only {token}, {channel} and {project} are known`;
  if (!names.includes("token")) return "must contain {token}, which stands for the token";
  return /^https?:\/\/[^\s/]\S*$/.test(template)
    ? undefined
    : "must be an address that begins with https:// or http://";
}

/**
 * The link by which a person joins with a token.
 *
 * @param template A text without {@link joinLinkFault}, such as `https://meet.example.com/{channel}#token={token}`.
 * @param token The token, and the name of its channel, which is empty if it is valid for every channel.
 */
export function joinLink(
  template: string,
  token: { readonly token: string; readonly channel: string; readonly project: string },
): string {
  const values = new Map(Object.entries(token));
  return template.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
}
