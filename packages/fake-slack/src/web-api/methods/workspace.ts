import { Refusal } from "../../refusal.js";
import { neededArg } from "../arguments.js";
import { userAsSlack } from "../as-slack.js";
import type { BotMethods } from "../method.js";

/** The methods about the workspace, its people and their groups. */
export const workspaceMethods: BotMethods = {
  "auth.test": {
    scopes: [],
    run: ({ team, installation }) => ({
      url: `https://${team.domain}.slack.com/`,
      team: team.name,
      team_id: team.id,
      user: team.users.get(installation.botUserId)?.name,
      user_id: installation.botUserId,
      bot_id: installation.botId,
      ...(team.organization && { enterprise_id: team.organization.id }),
      is_enterprise_install: team.organization?.isOrgWide === true,
    }),
  },
  "usergroups.users.list": {
    scopes: ["usergroups:read"],
    run: ({ team, args }) => {
      const group = team.groups.get(neededArg(args, "usergroup"));
      if (!group) throw new Refusal("no_such_subteam");
      return { users: [...group.members] };
    },
  },
  "users.info": {
    scopes: ["users:read"],
    run: ({ world, team, installation, args }) => {
      // An org-wide installation sees the people of all its workspaces.
      const teams = [...world.teams.values()].filter((one) => one === team || one.installation === installation);
      const user = teams.map((one) => one.users.get(neededArg(args, "user"))).find((found) => found !== undefined);
      if (!user) throw new Refusal("user_not_found");
      return { user: userAsSlack(world, user) };
    },
  },
};
