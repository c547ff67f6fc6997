import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { Refusal, urlOf } from "../http.js";
import { isObject, parsed } from "../json.js";
import { directChannel } from "../world/messages.js";
import type { Channel, Installation, Json, Team, User } from "../world/model.js";
import type { World } from "../world/world.js";

/** A call of the Web API. */
export interface Call {
  readonly world: World;
  /** From the header or the arguments; not verified yet. */
  readonly token: string | undefined;
  /** From the URL and the body, which is a form or JSON. In a form, every argument is a text. */
  readonly args: Json;
  readonly request: IncomingMessage;
}

/** A call by the app in a workspace in which it is installed. */
export interface BotCall extends Call {
  readonly team: Team;
  readonly installation: Installation;
}

/** Methods that verify their caller themselves, by name. Their responses have the same form as a bot's. */
export type OpenMethods = Readonly<Record<string, (call: Call) => Json>>;

/** Methods that need the bot's token, by name. */
export type BotMethods = Readonly<
  Record<
    string,
    {
      /** One of these is needed; an empty list needs none. */
      readonly scopes: readonly string[];
      /** Returns the response without `ok: true`; throws a `Refusal` if Slack would refuse. */
      run(call: BotCall): Json;
    }
  >
>;

/** The arguments of a call: those of the URL, overridden by those of the body. Slack may refuse the body. */
export async function argumentsOf(request: IncomingMessage): Promise<Json | Refusal> {
  const inAddress = Object.fromEntries(urlOf(request).searchParams);
  const type = request.headers["content-type"] ?? "";
  const body = await buffer(request);
  if (body.length === 0) return inAddress;
  if (!type.startsWith("application/json")) return { ...inAddress, ...Object.fromEntries(await formOf(body, type)) };
  const json = parsed(body.toString());
  if (typeof json === "string") return new Refusal("invalid_json");
  return isObject(json) ? { ...inAddress, ...json } : new Refusal("json_not_object");
}

/** The fields of a form, in one part or in several. */
export async function formOf(body: Buffer, type: string): Promise<Iterable<[string, string | Blob]>> {
  if (!type.startsWith("multipart/form-data")) return new URLSearchParams(body.toString());
  return new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
}

/** A text, or a number as text; undefined if it is missing or empty. */
export function textArg(args: Json, name: string): string | undefined {
  const value = args[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a flag is set; in a form, it is a text. */
export function flagArg(args: Json, name: string): boolean {
  return [true, 1, "true", "1"].some((set) => args[name] === set);
}

/** @throws {Refusal} if the argument is missing. */
export function neededArg(args: Json, name: string): string {
  const value = textArg(args, name);
  if (value === undefined) throw invalidArguments(`missing required field: ${name}`);
  return value;
}

/** Slack's refusal of arguments, with the reason. */
export function invalidArguments(reason: string): Refusal {
  return new Refusal("invalid_arguments", { response_metadata: { messages: [`[ERROR] ${reason}`] } });
}

/**
 * A conversation that the bot can see: a public channel, or any that it is in.
 *
 * @throws {Refusal} `channel_not_found`
 */
export function channelOf({ team, installation }: Pick<BotCall, "team" | "installation">, id: unknown): Channel {
  const channel = typeof id === "string" ? team.channels.get(id) : undefined;
  if (!channel || (channel.kind !== "public" && !channel.members.has(installation.botUserId))) {
    throw new Refusal("channel_not_found");
  }
  return channel;
}

/** The target of `chat.postMessage`: a conversation, a person's direct conversation, or a channel by its name. */
export function addressOf(call: BotCall): Channel {
  const { world, team, installation, args } = call;
  const address = textArg(args, "channel");
  if (address === undefined) throw new Refusal("channel_not_found");
  const user = team.users.get(address);
  if (user && !user.isBot) return directChannel(world, team, user.id, installation.botUserId);
  const name = address.replace(/^#/, "");
  const named = [...team.channels.values()].find((channel) => channel.kind !== "im" && channel.name === name);
  return channelOf(call, named?.id ?? address);
}

/**
 * Refuses writing in an archived channel, and in one that the bot is not in.
 *
 * @param publicScope The scope that allows writing in public channels without being a member.
 */
export function refuseOutsider({ installation }: BotCall, channel: Channel, publicScope?: string): void {
  if (channel.isArchived) throw new Refusal("is_archived");
  const isMember = channel.members.has(installation.botUserId);
  const mayFromOutside = publicScope !== undefined && installation.scopes.includes(publicScope);
  if (!isMember && !mayFromOutside) throw new Refusal("not_in_channel");
}

/** Refuses a call if the app has none of these scopes; an empty list needs none. */
export function refuseWithoutScope({ scopes: provided }: Installation, scopes: readonly string[]): void {
  if (scopes.length === 0 || scopes.some((scope) => provided.includes(scope))) return;
  throw new Refusal("missing_scope", { needed: scopes.join(","), provided: provided.join(",") });
}

/** @throws {Refusal} `user_not_found` */
export function personOf(team: Team, id: unknown): User {
  const user = typeof id === "string" ? team.users.get(id) : undefined;
  if (!user) throw new Refusal("user_not_found");
  return user;
}
