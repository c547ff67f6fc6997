import { type Method, openMethod } from "../web-api/method.js";
import { Refusal } from "../web-api/refusal.js";
import { issueSocketUrl } from "./sockets.js";

/** Needs the app-level token, which belongs to no workspace. */
const connectionsOpen = openMethod(({ world, token }) => {
  if (token === undefined) throw new Refusal("not_authed");
  if (token !== world.app.appToken) {
    throw new Refusal(token.startsWith("xapp-") ? "invalid_auth" : "not_allowed_token_type");
  }
  return { url: issueSocketUrl(world) };
});

export const socketModeMethods: Readonly<Record<string, Method>> = { "apps.connections.open": connectionsOpen };
