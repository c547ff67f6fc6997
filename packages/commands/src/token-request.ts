import { type CoreCommand, tokenDefaults } from "./commands.js";
import { EVERY_CHANNEL } from "./values/value-type.js";

type TokenCommand = Extract<CoreCommand, { name: "token" }>;

/** What a service is asked for an access token with, by the names that its API has for it. */
export interface TokenRequest {
  /** The channel's whole id, `<channel>@<project>`; absent if the token is for every channel. */
  channel_id?: string | undefined;
  /** Absent where it is bound to no role. */
  role?: "recvonly" | "sendonly" | "sendrecv" | undefined;
  max_channel_connections?: number | undefined;
  not_before?: string | undefined;
  expiration_time: string;
  jwt_id?: string | undefined;
}

/** The request, or the channel of which nobody knows in which project it is. */
export type TokenRequestResult =
  | { readonly ok: true; readonly request: TokenRequest }
  | { readonly ok: false; readonly channel: string };

export interface TokenRequestOptions {
  /** The present in milliseconds since 1970: `Date.now()`. */
  readonly now: number;
  /** The project that is meant where neither the channel nor the command names one. */
  readonly project?: string | undefined;
  /**
   * How long a token is good where the command does not say.
   * @default 10 minutes, as in `tokenDefaults`
   */
  readonly lifetimeMs?: number | undefined;
}

/** What a `token` command asks for. A token's times are whole seconds, so that ten minutes are ten minutes exactly. */
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

/** A channel's whole id; whoever names the channel alone means the project in use. */
function wholeId(channel: string | undefined, project: string | undefined): string | undefined {
  if (channel === undefined || channel.includes("@")) return channel;
  return project === undefined ? undefined : `${channel}@${project}`;
}

const wholeSecond = (time: number): number => Math.floor(time / 1000) * 1000;

const timestamp = (time: number): string => new Date(wholeSecond(time)).toISOString();
