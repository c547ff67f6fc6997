import { type CoreCommand, tokenDefaults } from "./commands.js";
import { EVERY_CHANNEL } from "./values/value-type.js";

type TokenCommand = Extract<CoreCommand, { name: "token" }>;

/** The body of a request for an access token, with the API's names. */
export interface TokenRequest {
  /** The full id, `<channel>@<project>`; absent for every channel. */
  channel_id?: string | undefined;
  /** Absent for any role. */
  role?: "recvonly" | "sendonly" | "sendrecv" | undefined;
  max_channel_connections?: number | undefined;
  not_before?: string | undefined;
  expiration_time: string;
  jwt_id?: string | undefined;
}

/** The request, or the channel if its project is unknown. */
type TokenRequestResult =
  | { readonly ok: true; readonly request: TokenRequest }
  | { readonly ok: false; readonly channel: string };

export interface TokenRequestOptions {
  /** The current time in milliseconds since 1970. */
  readonly now: number;
  /** The project if neither the channel nor the command names one. */
  readonly project?: string | undefined;
  /**
   * The lifetime if the command sets none.
   * @default 10 minutes, as in `tokenDefaults`
   */
  readonly lifetimeMs?: number | undefined;
}

/** The request for a `token` command. Token times are whole seconds, so that ten minutes are exactly ten minutes. */
export function tokenRequest(
  command: TokenCommand,
  { now, project, lifetimeMs = tokenDefaults.forMs }: TokenRequestOptions,
): TokenRequestResult {
  const { role = tokenDefaults.role, forMs = lifetimeMs, max, id, starting } = command;
  const channel = command.channel === EVERY_CHANNEL ? undefined : command.channel;
  const channel_id = wholeId(channel, command.in ?? project);
  if (channel !== undefined && channel_id === undefined) return { ok: false, channel };
  return {
    ok: true,
    request: {
      channel_id,
      role: role === "any" ? undefined : role,
      max_channel_connections: max,
      not_before: starting === undefined ? undefined : timestamp(starting),
      expiration_time: timestamp(wholeSecond(starting ?? now) + forMs),
      jwt_id: id,
    },
  };
}

/** A channel's full id: with the project, unless the channel names one. Undefined if there is none of the two. */
export function wholeId(channel: string | undefined, project: string | undefined): string | undefined {
  if (channel === undefined || channel.includes("@")) return channel;
  return project === undefined ? undefined : `${channel}@${project}`;
}

const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

const timestamp = (time: number): string => new Date(wholeSecond(time)).toISOString();

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
