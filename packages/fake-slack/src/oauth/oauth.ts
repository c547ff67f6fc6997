import { text } from "node:stream/consumers";
import { escapeMarkup, type Handler, sendText, urlOf } from "../http.js";
import type { Grant, User } from "../world/model.js";
import { Refusal } from "../world/refusal.js";
import { newSecret, type World } from "../world/world.js";

/** The app's request to be installed. */
interface AuthorizeRequest {
  readonly scopes: readonly string[];
  readonly state: string | null;
  /** As sent by the app; undefined if it relies on its settings. */
  readonly redirectUri: string | undefined;
  readonly backTo: string;
  /** The only allowed workspace, if the app names one. */
  readonly teamId: string | null;
}

/**
 * The page on which a person allows the app: `GET /oauth/v2/authorize` shows it; a `POST` with `user` and `decision`
 * (`allow`, or anything else to cancel) submits it.
 */
export const handleAuthorize: Handler = async (world, request, response) => {
  const asked = read(world, urlOf(request).searchParams);
  if (typeof asked === "string") return sendText(response, 400, refusingPage(asked), "text/html");
  const people = peopleIn(world, asked);
  if (request.method !== "POST") return sendText(response, 200, askingPage(world, asked.scopes, people), "text/html");
  const form = new URLSearchParams(await text(request));
  const user = people.find(({ id }) => id === form.get("user"));
  if (!user) return sendText(response, 400, refusingPage("invalid_user"), "text/html");
  const { scopes, state, redirectUri, backTo } = asked;
  const location = new URL(backTo);
  if (form.get("decision") === "allow") {
    const code = newSecret(32);
    const grant = { teamId: user.teamId, userId: user.id, scopes, redirectUri, issuedAt: world.now(), isUsed: false };
    world.grants.set(code, grant);
    location.searchParams.set("code", code);
  } else {
    location.searchParams.set("error", "access_denied");
  }
  if (state !== null) location.searchParams.set("state", state);
  response.writeHead(302, { location: location.href }).end();
};

/** The request, or Slack's error code for its fault. */
function read({ app }: World, query: URLSearchParams): AuthorizeRequest | string {
  if (query.get("client_id") !== app.clientId) return "invalid_client_id";
  const redirectUri = query.get("redirect_uri") ?? undefined;
  const backTo = redirectUri ?? app.redirectUrl;
  if (backTo === undefined || !isOfApp(backTo, app.redirectUrl)) return "bad_redirect_uri";
  const scopes = (query.get("scope") ?? "").split(/[,\s]+/).filter((scope) => scope !== "");
  if (scopes.length === 0) return "invalid_scope";
  return { scopes, state: query.get("state"), redirectUri, backTo, teamId: query.get("team") };
}

/** Whether it is the URL in the app's settings, or below it. */
function isOfApp(address: string, known: string | undefined): boolean {
  return known !== undefined && (address === known || address.startsWith(known.endsWith("/") ? known : `${known}/`));
}

function peopleIn(world: World, { teamId }: AuthorizeRequest): User[] {
  const teams = [...world.teams.values()].filter(({ id }) => teamId === null || id === teamId);
  return teams.flatMap(({ users }) => [...users.values()]).filter(({ isBot, isDeleted }) => !isBot && !isDeleted);
}

const CODE_LIFETIME_MS = 10 * 60_000;

/** Exchanges a code for its grant, once. */
export function redeemCode(world: World, code: unknown, redirectUri: unknown): Grant {
  const issued = typeof code === "string" ? world.grants.get(code) : undefined;
  if (issued === undefined || world.now() - issued.issuedAt > CODE_LIFETIME_MS) throw new Refusal("invalid_code");
  if (issued.isUsed) throw new Refusal("code_already_used");
  if ((redirectUri === "" ? undefined : redirectUri) !== issued.redirectUri) throw new Refusal("bad_redirect_uri");
  issued.isUsed = true;
  return issued;
}

/** The page that asks to allow the app, as one of these people. */
function askingPage(world: World, scopes: readonly string[], people: readonly User[]): string {
  const choices = people.map(({ id, name, teamId }) => {
    const team = world.teams.get(teamId)?.name ?? teamId;
    return `<option value="${id}">${escapeMarkup(name)} in ${escapeMarkup(team)}</option>`;
  });
  return `<!doctype html>
<title>Allow the app?</title>
<p>It requests:</p>
<ul>${scopes.map((scope) => `<li>${escapeMarkup(scope)}</li>`).join("")}</ul>
<form method="post">
<label>You are <select name="user">${choices.join("")}</select></label>
<button name="decision" value="deny">Cancel</button>
<button name="decision" value="allow">Allow</button>
</form>
`;
}

function refusingPage(error: string): string {
  return `<!doctype html>
<title>Something went wrong</title>
<p>Slack says: <code>${error}</code></p>
`;
}

// More redirects would be a loop.
const MAX_REDIRECTS = 10;

/**
 * Opens the app's page for installing it as a person, follows its link to Slack's page, and presses Allow or Cancel.
 * Returns the last page: the app's, or Slack's if Slack refuses the request.
 */
export async function decideInstall(
  world: World,
  installUrl: string,
  user: { readonly id: string },
  decision: "allow" | "deny",
): Promise<Response> {
  const authorize = `${world.url}/oauth/v2/authorize`;
  const browser = new Browser();
  let page = await browser.go(installUrl);
  if (!browser.address.startsWith(authorize)) {
    const links = [...(await page.text()).matchAll(/href="([^"]*)"/g)];
    const link = links.map(([, href = ""]) => href.replaceAll("&amp;", "&")).find((href) => href.startsWith(authorize));
    if (link === undefined) {
      throw new Error(`${browser.address} (HTTP ${page.status}) neither redirects nor links to ${authorize}.`);
    }
    page = await browser.go(link);
  }
  return page.ok ? browser.go(browser.address, new URLSearchParams({ user: user.id, decision })) : page;
}

/** Keeps cookies, for all hosts because all are on this machine, and follows redirects. */
export class Browser {
  /** The URL of the last page. */
  address = "";
  readonly #cookies = new Map<string, string>();

  /** Opens a URL, or sends a form to it. */
  async go(start: string, form?: URLSearchParams): Promise<Response> {
    this.address = start;
    let body = form;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(this.address, {
        redirect: "manual",
        headers: { cookie },
        ...(body && { method: "POST", body }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(line) ?? [];
        this.#cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) return response;
      await response.body?.cancel();
      this.address = new URL(location, this.address).href;
      body = undefined;
    }
    throw new Error(`${start} led through more than ${MAX_REDIRECTS} redirects.`);
  }
}
