import type { Json } from "../../world/model.js";
import { neededArg } from "../arguments.js";
import { botMethod, openMethod } from "../method.js";
import { Refusal } from "../refusal.js";

export const apiTest = openMethod(({ args: { token: _, ...args } }): Json => {
  if (typeof args.error === "string") throw new Refusal(args.error, { args });
  return { args };
});

export const authTest = botMethod([], ({ team, installation }) => ({
  url: `https://${team.domain}.slack.com/`,
  team: team.name,
  team_id: team.id,
  user: team.users.get(installation.botUserId)?.name,
  user_id: installation.botUserId,
  bot_id: installation.botId,
  ...(team.organization && { enterprise_id: team.organization.id }),
  is_enterprise_install: team.organization?.isOrgWide === true,
}));

export const teamInfo = botMethod(["team:read"], ({ team }) => ({
  team: { id: team.id, name: team.name, domain: team.domain, url: `https://${team.domain}.slack.com/` },
}));

export const botsInfo = botMethod(["users:read"], ({ world, team, installation, args }) => {
  if (neededArg(args, "bot") !== installation.botId) throw new Refusal("bot_not_found");
  const { botId, botUserId } = installation;
  const name = team.users.get(botUserId)?.name;
  return { bot: { id: botId, app_id: world.app.id, user_id: botUserId, name, deleted: false } };
});
