import type { Installation, Team, World } from "./model.js";
import { addUser } from "./teams.js";
import { newSecret } from "./world.js";

/** Installs the app, or installs it anew: the bot stays who it is, and its token is another one then. */
export function installApp(
  world: World,
  team: Team,
  installedBy: string,
  scopes: readonly string[] = world.app.scopes,
): Installation {
  const known = [...team.users.values()].find(({ isBot }) => isBot);
  const bot = known ?? addUser(world, team, { name: "media", isBot: true });
  bot.isDeleted = false;
  const installation: Installation = {
    botToken: `xoxb-${team.id}-${newSecret()}`,
    botId: `B${bot.id.slice(1)}`,
    botUserId: bot.id,
    scopes,
    installedBy,
  };
  if (team.installation) world.deadTokens.set(team.installation.botToken, "token_revoked");
  team.installation = installation;
  return installation;
}

/** Takes the app out of a workspace: its token is of no use any more. Gives what was installed. */
export function uninstallApp(world: World, team: Team, error = "account_inactive"): Installation | undefined {
  const { installation } = team;
  if (!installation) return undefined;
  world.deadTokens.set(installation.botToken, error);
  team.installation = undefined;
  const bot = team.users.get(installation.botUserId);
  if (bot) bot.isDeleted = true;
  return installation;
}
