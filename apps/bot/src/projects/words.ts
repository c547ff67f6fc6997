import { oneOfThese, shorten } from "@media-ops/commands";
import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Connection, Defaults } from "../connections/connections.js";
import type { TokenPolicy } from "../policy/policy.js";

/** The longest label of a button, less the words beside a name. */
const LONGEST_NAME = 60;

/** A name on one line, not too long for a button. */
export function projectLabel(name: string): string {
  return shorten(name.replace(/\s+/g, " "), LONGEST_NAME);
}

/** A name in Slack's markup. */
export const strong = (name: string): string => `*${escapeMrkdwn(projectLabel(name))}*`;

/** The id of a channel that is given by its name or its id. */
export const channelIdOf = (channel: string, project: string): string =>
  channel.endsWith(`@${project}`) ? channel : `${channel}@${project}`;

/** A command for the person to type, as code in Slack's markup. */
export const typed = (prefix: string, command: string): string => `\`${escapeMrkdwn(`${prefix} ${command}`)}\``;

/** A service's address, without its scheme. */
export function hostOf({ baseUrl }: Pick<Connection, "baseUrl">): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { host, pathname } = new URL(baseUrl);
  return `${host}${pathname.replace(/\/+$/, "")}`;
}

/** The conversation in words: only ids of channels start with a C. */
export const thisPlace = (channelId: string): string => (isChannel(channelId) ? "this channel" : "this conversation");

const isChannel = (channelId: string): boolean => channelId.startsWith("C");

/** The same with its preposition; the app home is in no conversation. */
export const placeText = (channelId: string | undefined): string =>
  channelId === undefined ? "in places without a default of their own" : `in ${thisPlace(channelId)}`;

/** The people who may connect projects, in Slack's markup. */
export function whoConnects({ ask, connect }: TokenPolicy): string {
  const people = (ask.length > 0 ? ask : connect).map(mentionOf);
  return oneOfThese(ask.length > 0 ? people : [...people, "an admin of this workspace"], "or");
}

/** The people of a policy's list, in Slack's markup; the operator for an empty one, who can change that. */
export function whoIn(ids: readonly string[]): string {
  const words = new Map([
    ["everyone", "a member of this workspace"],
    ["guests", "a guest"],
    ["admins", "an admin of this workspace"],
  ]);
  const people = ids.map((id) => words.get(id) ?? mentionOf(id));
  return people.length === 0 ? "the bot's operator" : oneOfThese([...new Set(people)], "or");
}

/** Mentions a user or a user group. */
export function mentionOf(id: string): string {
  return id.startsWith("S") ? `<!subteam^${id}>` : `<@${id}>`;
}

/** More channels than these are counted. */
const MOST_CHANNELS = 5;

/** Where a project is the default, in Slack's markup. Other people's direct conversations are only counted. */
export function usedText(projectId: string, { workspace, channels }: Defaults, channelId: string | undefined): string {
  const places = [...channels].flatMap(([place, chosen]) => (chosen === projectId ? [place] : []));
  const named = places.filter((place) => place !== channelId && isChannel(place));
  const unnamed = places.length - named.length - (channelId !== undefined && places.includes(channelId) ? 1 : 0);
  const more = named.length - MOST_CHANNELS;
  const words = [
    ...(channelId !== undefined && places.includes(channelId) ? [thisPlace(channelId)] : []),
    ...(workspace === projectId ? ["the whole workspace"] : []),
    ...named.slice(0, MOST_CHANNELS).map((place) => `<#${place}>`),
    ...(more > 0 ? [`${more} more channels`] : []),
    ...(unnamed > 0 ? [unnamed === 1 ? "a private conversation" : `${unnamed} private conversations`] : []),
  ];
  return words.length === 0 ? "" : `Used in ${oneOfThese(words, "and")}`;
}
