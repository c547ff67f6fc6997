// What Slack tells the app when a person does something.
import type { Channel, Json, Team, User, World } from "../world/model.js";

/** Apps were known by it before requests were signed. It is still sent, and of no use. */
const VERIFICATION_TOKEN = "not-used-any-more";

/** In all interactions. */
export function interaction(world: World, team: Team, user: User): Json {
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.homeTeamId ?? team.id },
    api_app_id: world.app.id,
    token: VERIFICATION_TOKEN,
    team: { id: team.id, domain: team.domain },
    enterprise: enterpriseOf(team),
    is_enterprise_install: isOrgWide(team),
  };
}

const enterpriseOf = ({ organization }: Team): Json | null =>
  organization ? { id: organization.id, name: organization.name } : null;

const isOrgWide = ({ organization }: Team): boolean => organization?.isOrgWide === true;

export interface CommandFields {
  command: string;
  text: string;
  responseUrl: string;
  triggerId: string;
}

export function commandPayload(
  world: World,
  team: Team,
  user: User,
  channel: Channel,
  { command, text, responseUrl, triggerId }: CommandFields,
): Json {
  return {
    token: VERIFICATION_TOKEN,
    team_id: user.homeTeamId ?? team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channelName(channel),
    user_id: user.id,
    user_name: user.name,
    command,
    text,
    api_app_id: world.app.id,
    ...(team.organization && { enterprise_id: team.organization.id, enterprise_name: team.organization.name }),
    is_enterprise_install: String(isOrgWide(team)),
    response_url: responseUrl,
    trigger_id: triggerId,
  };
}

/** What stands in a command's or an interaction's `channel`: private ones are not told by their name. */
export function channelName({ kind, name }: Channel): string {
  return kind === "public" ? name : kind === "private" ? "privategroup" : "directmessage";
}

/** Marks what Slack marks, but leaves the references that a person has chosen from a list. */
export function escaped(text: string): string {
  return text
    .split(/(<(?:#C\w+|@U\w+|!subteam\^\w+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>)/)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    )
    .join("");
}

export function tsOf(world: World): string {
  return (world.now() / 1000).toFixed(6);
}
