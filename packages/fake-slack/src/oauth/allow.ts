import type { User, World } from "../world/model.js";

// More would be a loop.
const MAX_REDIRECTS = 10;

/**
 * Opens the app's page for installing it as a person, follows its link to Slack's page, and presses Allow or Cancel.
 * Returns the last page: the app's, or Slack's if Slack refuses the request.
 */
export async function decideInstall(
  world: World,
  installUrl: string,
  user: User,
  decision: "allow" | "deny",
): Promise<Response> {
  const authorize = `${world.url}/oauth/v2/authorize`;
  const browser = new Browser();
  let page = await browser.go(installUrl);
  if (!browser.address.startsWith(authorize)) {
    const links = [...(await page.text()).matchAll(/href="([^"]*)"/g)].map(([, link = ""]) =>
      link.replaceAll("&amp;", "&"),
    );
    const link = links.find((address) => address.startsWith(authorize));
    if (link === undefined) {
      throw new Error(`${browser.address} (HTTP ${page.status}) neither redirects nor links to ${authorize}.`);
    }
    page = await browser.go(link);
  }
  return page.ok ? browser.go(browser.address, new URLSearchParams({ user: user.id, decision })) : page;
}

/** Keeps cookies and follows redirects. */
export class Browser {
  /** The address of the last page. */
  address = "";
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens an address, or sends a form to it. */
  async go(start: string, form?: URLSearchParams): Promise<Response> {
    let address = new URL(start);
    let body = form;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await fetch(address, {
        redirect: "manual",
        headers: { cookie: this.#cookiesFor(address) },
        ...(body && { method: "POST", body }),
      });
      this.address = address.href;
      this.#keep(address, response);
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status >= 400) return response;
      await response.body?.cancel();
      address = new URL(location, address);
      body = undefined;
    }
    throw new Error(`${start} led through more than ${MAX_REDIRECTS} redirects.`);
  }

  #cookiesFor({ hostname }: URL): string {
    return [...(this.#cookies.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  // On this machine, browsers accept secure cookies without TLS, too.
  #keep({ hostname }: URL, response: Response): void {
    const cookies = this.#cookies.get(hostname) ?? new Map<string, string>();
    this.#cookies.set(hostname, cookies);
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const [name = "", ...value] = pair.split("=");
      if (attributes.some(isPast)) cookies.delete(name.trim());
      else cookies.set(name.trim(), value.join("=").trim());
    }
  }
}

function isPast(attribute: string): boolean {
  const [name = "", value = ""] = attribute.split("=").map((part) => part.trim());
  if (name.toLowerCase() === "max-age") return Number(value) <= 0;
  return name.toLowerCase() === "expires" && Date.parse(value) <= Date.now();
}
