import { issueSocketUrl } from "../delivery/sockets.js";
import { Refusal } from "../refusal.js";
import type { Call, OpenMethods } from "../web-api/method.js";
import { installApp } from "../world/teams.js";
import { redeemCode } from "./authorize.js";

/** The methods that the app calls with its own credentials instead of a bot's token. */
export const oauthMethods: OpenMethods = {
  /** Needs the app-level token, which does not belong to a workspace. */
  "apps.connections.open": ({ world, token }) => {
    if (token === undefined) throw new Refusal("not_authed");
    if (token !== world.app.appToken) {
      throw new Refusal(token.startsWith("xapp-") ? "invalid_auth" : "not_allowed_token_type");
    }
    return { url: issueSocketUrl(world) };
  },
  "oauth.v2.access": (call) => {
    const { world, args } = call;
    refuseWrongClient(call);
    const { teamId, userId, scopes } = redeemCode(world, args.code, args.redirect_uri);
    const team = world.teams.get(teamId);
    if (!team) throw new Refusal("invalid_code");
    const { botToken, botUserId } = installApp(world, team, userId, scopes);
    return {
      app_id: world.app.id,
      authed_user: { id: userId },
      scope: scopes.join(","),
      token_type: "bot",
      access_token: botToken,
      bot_user_id: botUserId,
      team: { id: team.id, name: team.name },
      enterprise: null,
      is_enterprise_install: false,
    };
  },
};

/** The credentials may be arguments or Basic authentication. */
function refuseWrongClient({ args, request, world: { app } }: Call): void {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const [id, ...secret] = Buffer.from(basic ?? "", "base64")
    .toString()
    .split(":");
  if ((basic === undefined ? args.client_id : id) !== app.clientId) throw new Refusal("invalid_client_id");
  const given = basic === undefined ? args.client_secret : secret.join(":");
  if (given !== app.clientSecret) throw new Refusal("bad_client_secret");
}
