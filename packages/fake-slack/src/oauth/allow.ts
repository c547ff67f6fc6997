import type { User, World } from "../world/model.js";
import { Browser } from "./browser.js";

/**
 * A person opens the app's page for installing, goes on to Slack's, presses Allow, and comes back to the app. Gives the
 * last page: the app's, or Slack's where Slack does not even ask her.
 */
export function allow(world: World, installUrl: string, by: { readonly user: User }): Promise<Response> {
  return decide(world, installUrl, by.user, "allow");
}

/** The same, but she presses Cancel. */
export function deny(world: World, installUrl: string, by: { readonly user: User }): Promise<Response> {
  return decide(world, installUrl, by.user, "deny");
}

async function decide(world: World, installUrl: string, user: User, decision: string): Promise<Response> {
  const authorize = `${world.url}/oauth/v2/authorize`;
  const browser = new Browser();
  let page = await browser.open(installUrl);
  if (!browser.address.startsWith(authorize)) {
    const links = [...(await page.text()).matchAll(/href="([^"]*)"/g)].map(([, link = ""]) =>
      link.replaceAll("&amp;", "&"),
    );
    const link = links.find((address) => address.startsWith(authorize));
    if (link === undefined) {
      throw new Error(`${browser.address} (HTTP ${page.status}) neither leads nor links to ${authorize}.`);
    }
    page = await browser.open(link);
  }
  return page.ok ? browser.press({ user: user.id, decision }) : page;
}
