import { type Answered, deliver } from "../delivery/deliver.js";
import { uninstallApp } from "../world/install.js";
import type { Team, World } from "../world/model.js";

/** Takes the app out of a workspace, and tells it so. Nothing happens where it is not installed. */
export async function uninstall(world: World, team: Team, error?: string): Promise<Answered[]> {
  const installation = uninstallApp(world, team, error);
  if (!installation) return [];
  const events = [
    { type: "app_uninstalled" },
    { type: "tokens_revoked", tokens: { oauth: [], bot: [installation.botUserId] } },
  ];
  return Promise.all(events.map((payload) => deliver(world, { kind: "event", teamId: team.id, payload })));
}
