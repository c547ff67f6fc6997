import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyOf, sendText, urlOf } from "../http.js";
import type { User, World } from "../world/model.js";
import { issueCode } from "./codes.js";
import { askingPage, refusingPage } from "./pages.js";

/** What the app asks a person for. */
interface Asked {
  readonly scopes: readonly string[];
  readonly state: string | null;
  /** As the app named it; undefined where it left it to its settings. */
  readonly redirectUri: string | undefined;
  /** Where she comes back to. */
  readonly backTo: string;
  /** The only workspace in question, where the app names one. */
  readonly teamId: string | null;
}

/**
 * The page on which a person allows the app: `GET /oauth/v2/authorize` shows it, a `POST` there with `user` and
 * `decision` (`allow` or anything else) is her pressing one of its buttons.
 */
export async function handleAuthorize(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = askedFor(world, urlOf(request).searchParams);
  if (typeof asked === "string") {
    sendText(response, 400, refusingPage(asked), "text/html");
    return;
  }
  const people = peopleAskedBy(world, asked);
  if (request.method !== "POST") {
    sendText(response, 200, askingPage(world, asked.scopes, people), "text/html");
    return;
  }
  const pressed = new URLSearchParams(String(await bodyOf(request)));
  const user = people.find(({ id }) => id === pressed.get("user"));
  if (!user) {
    sendText(response, 400, refusingPage("invalid_user"), "text/html");
    return;
  }
  response.writeHead(302, { location: wayBack(world, asked, user, pressed.get("decision") === "allow") }).end();
}

/** What is asked for, or why Slack does not ask. */
function askedFor({ app }: World, query: URLSearchParams): Asked | string {
  if (query.get("client_id") !== app.clientId) return "invalid_client_id";
  const redirectUri = query.get("redirect_uri") ?? undefined;
  const backTo = redirectUri ?? app.redirectUrl;
  if (backTo === undefined || !isOfApp(backTo, app.redirectUrl)) return "bad_redirect_uri";
  const scopes = (query.get("scope") ?? "").split(/[,\s]+/).filter((scope) => scope !== "");
  if (scopes.length === 0) return "invalid_scope";
  return { scopes, state: query.get("state"), redirectUri, backTo, teamId: query.get("team") };
}

/** The address in the app's settings, or one below it. */
function isOfApp(address: string, known: string | undefined): boolean {
  return known !== undefined && (address === known || address.startsWith(known.endsWith("/") ? known : `${known}/`));
}

function peopleAskedBy(world: World, { teamId }: Asked): User[] {
  const teams = [...world.teams.values()].filter(({ id }) => teamId === null || id === teamId);
  return teams.flatMap(({ users }) => [...users.values()]).filter(({ isBot, isDeleted }) => !isBot && !isDeleted);
}

function wayBack(world: World, { scopes, state, redirectUri, backTo }: Asked, user: User, isAllowed: boolean): string {
  const address = new URL(backTo);
  if (isAllowed) {
    address.searchParams.set("code", issueCode(world, { teamId: user.teamId, userId: user.id, scopes, redirectUri }));
  } else {
    address.searchParams.set("error", "access_denied");
  }
  if (state !== null) address.searchParams.set("state", state);
  return address.href;
}
