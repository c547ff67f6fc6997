import type { World } from "../world/world.js";

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
