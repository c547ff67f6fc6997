import { Refusal } from "../../refusal.js";
import { directChannel } from "../../world/messages.js";
import { flagArg, listArg, neededArg } from "../arguments.js";
import { channelAsSlack, userAsSlack } from "../as-slack.js";
import { personOf } from "../lookup.js";
import { botMethod, type Method } from "../method.js";

const authTest = botMethod([], ({ team, installation }) => ({
  url: `https://${team.domain}.slack.com/`,
  team: team.name,
  team_id: team.id,
  user: team.users.get(installation.botUserId)?.name,
  user_id: installation.botUserId,
  bot_id: installation.botId,
  ...(team.organization && { enterprise_id: team.organization.id }),
  is_enterprise_install: team.organization?.isOrgWide === true,
}));

const conversationsOpen = botMethod(["im:write"], ({ world, team, installation, args }) => {
  const [first, ...more] = listArg(args, "users");
  if (first === undefined) throw new Refusal("users_list_not_supplied");
  if (more.length > 0) throw new Refusal("not_enough_users");
  const user = personOf(team, first);
  if (user.isBot) throw new Refusal("cannot_dm_bot");
  const channel = directChannel(world, team, user.id, installation.botUserId);
  const isFull = flagArg(args, "return_im");
  return { channel: isFull ? channelAsSlack(channel, installation.botUserId) : { id: channel.id } };
});

const usersInfo = botMethod(["users:read"], ({ world, team, installation, args }) => {
  // One installation for an organization sees the people of all its workspaces.
  const teams = [...world.teams.values()].filter((one) => one === team || one.installation === installation);
  const user = teams.map((one) => one.users.get(neededArg(args, "user"))).find((found) => found !== undefined);
  if (!user) throw new Refusal("user_not_found");
  return { user: userAsSlack(world, user) };
});

const usergroupsUsersList = botMethod(["usergroups:read"], ({ team, args }) => {
  const group = team.groups.get(neededArg(args, "usergroup"));
  if (!group) throw new Refusal("no_such_subteam");
  return { users: [...group.members] };
});

export const workspaceMethods: Readonly<Record<string, Method>> = {
  "auth.test": authTest,
  "conversations.open": conversationsOpen,
  "usergroups.users.list": usergroupsUsersList,
  "users.info": usersInfo,
};
