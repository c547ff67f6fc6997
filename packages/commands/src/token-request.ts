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
