import { flagArg, neededArg } from "../arguments.js";
import { groupAsSlack, userAsSlack } from "../as-slack.js";
import { neededPerson } from "../lookup.js";
import { botMethod } from "../method.js";
import { pageOf } from "../pages.js";
import { Refusal } from "../refusal.js";

export const usersInfo = botMethod(["users:read"], ({ team, args }) => ({
  user: userAsSlack(neededPerson(team, args)),
}));

export const usersList = botMethod(["users:read"], ({ world, team, args }) => {
  const { items, response_metadata } = pageOf([...team.users.values()], args);
  return { members: items.map(userAsSlack), cache_ts: Math.floor(world.now() / 1000), response_metadata };
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
