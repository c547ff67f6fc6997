import { flagArg, neededArg } from "../arguments.js";
import { groupAsSlack, userAsSlack } from "../as-slack.js";
import { botMethod } from "../method.js";
import { pageOf } from "../pages.js";
import { Refusal } from "../refusal.js";

export const usersInfo = botMethod(["users:read"], ({ world, team, installation, args }) => {
  // One installation for an organization sees the people of all its workspaces.
  const teams = [...world.teams.values()].filter((one) => one === team || one.installation === installation);
  const user = teams.map((one) => one.users.get(neededArg(args, "user"))).find((found) => found !== undefined);
  if (!user) throw new Refusal("user_not_found");
  return { user: userAsSlack(world, user) };
});

export const usersList = botMethod(["users:read"], ({ world, team, args }) => {
  const { items, response_metadata } = pageOf([...team.users.values()], args);
  return {
    members: items.map((user) => userAsSlack(world, user)),
    cache_ts: Math.floor(world.now() / 1000),
    response_metadata,
  };
});

export const usergroupsList = botMethod(["usergroups:read"], ({ team, args }) => {
  const withUsers = flagArg(args, "include_users");
  return {
    usergroups: [...team.groups.values()].map((group) => ({
      ...groupAsSlack(group, team),
      ...(withUsers && { users: [...group.members] }),
    })),
  };
});

export const usergroupsUsersList = botMethod(["usergroups:read"], ({ team, args }) => {
  const group = team.groups.get(neededArg(args, "usergroup"));
  if (!group) throw new Refusal("no_such_subteam");
  return { users: [...group.members] };
});
