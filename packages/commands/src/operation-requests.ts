import type { CheckCommand, OperationCommand } from "./operations.js";
import { wholeId } from "./token-request.js";
import { isDeliveryId, type Person } from "./values/operation-types.js";

type CommandNamed<Name extends OperationCommand["name"]> = Extract<OperationCommand, { name: Name }>;

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

interface OfProject {
  project_id?: string | undefined;
}

/** The most that a service lists at once. */
export const MOST_LISTED = 1000;

interface ListTokens extends OfProject {
  jwt_id?: string | undefined;
  channel_id?: string | undefined;
  role?: "recvonly" | "sendonly" | "sendrecv" | undefined;
  requested_by?: string | undefined;
  include_ended?: boolean | undefined;
  limit?: number | undefined;
}

/** The request for `tokens`. */
export function tokensRequest(
  { channel, id, role, all, by, last, in: named }: CommandNamed<"tokens">,
  { project, me, team }: OperationOptions,
): RequestResult<ListTokens> {
  const channel_id = wholeId(channel, named ?? project);
  if (channel !== undefined && channel_id === undefined) return { ok: false, missing: "project", channel };
  const who = personOf(by, me, team);
  if (!who.ok) return who;
  const include_ended = all === true || id !== undefined || undefined;
  const requested_by = who.request;
  const request = { project_id: named ?? project, jwt_id: id, channel_id, role, requested_by, include_ended };
  return { ok: true, request: { ...request, limit: last } };
}

/** The body of a request that revokes tokens. */
export interface RevokeRequest extends OfProject {
  jwt_id?: string | undefined;
  channel_id?: string | undefined;
  issued_before?: string | undefined;
  disconnect?: boolean | undefined;
}

/** The request for `revoke`. */
export function revokeRequest(
  { id, channel, before, disconnect, in: named }: CommandNamed<"revoke">,
  { project }: OperationOptions,
): RequestResult<RevokeRequest> {
  const channel_id = wholeId(channel, named ?? project);
  if (channel !== undefined && channel_id === undefined) return { ok: false, missing: "project", channel };
  const request = {
    project_id: named ?? project,
    jwt_id: id,
    channel_id,
    issued_before: timestamp(before),
    disconnect,
  };
  return { ok: true, request };
}

/** The request that lists the tokens that a `revoke` may end: with the one that it names, even if that has ended. */
export function revocableTokensRequest({ project_id, jwt_id, channel_id }: RevokeRequest): ListTokens {
  return { project_id, jwt_id, channel_id, include_ended: jwt_id !== undefined || undefined, limit: MOST_LISTED };
}

/** Whether a `revoke` is for a listed token, too. A token knows the second in which it was issued. */
export function isRevokedBy({ issued_before }: RevokeRequest, { issued_at }: { readonly issued_at: string }): boolean {
  if (issued_before === undefined) return true;
  return Math.floor(Date.parse(issued_at) / 1000) * 1000 < Date.parse(issued_before);
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

interface CheckToken extends OfProject {
  access_token: string;
  channel_id?: string | undefined;
  role?: "recvonly" | "sendonly" | "sendrecv" | undefined;
}

/** The request for `check`, with the token that was read elsewhere. */
export function checkRequest(
  { channel, role, in: named }: CheckCommand,
  access_token: string,
  { project }: OperationOptions,
): RequestResult<CheckToken> {
  const channel_id = wholeId(channel, named ?? project);
  if (channel !== undefined && channel_id === undefined) return { ok: false, missing: "project", channel };
  return { ok: true, request: { project_id: named ?? project, access_token, channel_id, role } };
}

interface ListDeliveries extends OfProject {
  delivery_id?: string | undefined;
  event_id?: string | undefined;
  state?: "waiting" | "delivered" | "failed" | undefined;
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  limit?: number | undefined;
}

/** The request for `deliveries`. */
export function deliveriesRequest(
  { state, type, since, until, event, id, last, in: named }: CommandNamed<"deliveries">,
  { project }: OperationOptions,
): ListDeliveries {
  const period = { since: timestamp(since), until: timestamp(until) };
  return { project_id: named ?? project, delivery_id: id, event_id: event, state, type, ...period, limit: last };
}

interface ResendDeliveries extends OfProject {
  delivery_id?: string | undefined;
  event_id?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  type?: string | undefined;
}

/** The request for `resend`. An id is a delivery's if it has the form of one, unless the command says whose it is. */
export function resendRequest(
  { id, is, since, until, type, in: named }: CommandNamed<"resend">,
  { project }: OperationOptions,
): ResendDeliveries {
  const project_id = named ?? project;
  if (id === undefined) return { project_id, since: timestamp(since), until: timestamp(until), type };
  const isDelivery = is === undefined ? isDeliveryId(id) : is === "delivery";
  return isDelivery ? { project_id, delivery_id: id } : { project_id, event_id: id };
}

/** The request that lists what a `resend` would send again: the delivery that it names, or those that have failed. */
export function resendableRequest({ delivery_id, event_id, ...period }: ResendDeliveries): ListDeliveries {
  const isOne = delivery_id !== undefined || event_id !== undefined;
  return { ...period, delivery_id, event_id, state: isOne ? undefined : "failed", limit: MOST_LISTED };
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
  const channel_id = wholeId(channel, named ?? project);
  if (channel_id === undefined) return { ok: false, missing: "project", channel };
  return { ok: true, request: { channel_id, connection_id: connection } };
}

interface ListAudit extends OfProject {
  since?: string | undefined;
  until?: string | undefined;
  action?: string | undefined;
  requested_by?: string | undefined;
  limit?: number | undefined;
}

/** The request for `audit`. */
export function auditRequest(
  { since, until, by, action, last, in: named }: CommandNamed<"audit">,
  { project, me, team }: OperationOptions,
): RequestResult<ListAudit> {
  const who = personOf(by, me, team);
  if (!who.ok) return who;
  const period = { since: timestamp(since), until: timestamp(until) };
  const request = { project_id: named ?? project, ...period, action, requested_by: who.request, limit: last };
  return { ok: true, request };
}

function personOf(person: Person | undefined, me: string, team: string | undefined): RequestResult<string | undefined> {
  if (person === undefined) return { ok: true, request: undefined };
  if (person.is === "me") return { ok: true, request: me };
  if (person.is === "named") return { ok: true, request: person.name };
  const { user } = person;
  return team === undefined ? { ok: false, missing: "team", user } : { ok: true, request: `slack:${team}/${user}` };
}

function timestamp(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
