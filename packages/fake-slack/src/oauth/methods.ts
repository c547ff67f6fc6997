import { botMethod, type Call, type Method, openMethod } from "../web-api/method.js";
import { Refusal } from "../web-api/refusal.js";
import { installApp } from "../world/install.js";
import { redeemCode } from "./codes.js";
import { uninstall } from "./uninstall.js";

const oauthAccess = openMethod((call) => {
  const { world, args } = call;
  checkClient(call);
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
});

/** The bot's token is the only one that the app has in a workspace: without it, it is installed no longer. */
const authRevoke = botMethod([], ({ world, team, args }) => {
  if (isTrue(args.test)) return { revoked: false };
  void uninstall(world, team, "token_revoked");
  return { revoked: true };
});

const appsUninstall = botMethod([], (call) => {
  checkClient(call);
  void uninstall(call.world, call.team);
  return {};
});

export const oauthMethods: Readonly<Record<string, Method>> = {
  "oauth.v2.access": oauthAccess,
  "auth.revoke": authRevoke,
  "apps.uninstall": appsUninstall,
};

/** @throws {Refusal} where it is not the app that calls. */
function checkClient(call: Call): void {
  const { app } = call.world;
  const { id, secret } = clientOf(call);
  if (id !== app.clientId) throw new Refusal("invalid_client_id");
  if (secret !== app.clientSecret) throw new Refusal("bad_client_secret");
}

/** Who it says it is: among the arguments, or by Basic authentication. */
function clientOf({ args, request }: Call): { id: unknown; secret: unknown } {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (basic === undefined) return { id: args.client_id, secret: args.client_secret };
  const [id, ...secret] = Buffer.from(basic, "base64").toString().split(":");
  return { id, secret: secret.join(":") };
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true" || value === "1" || value === 1;
}
