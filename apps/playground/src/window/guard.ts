import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "./refusal.js";

const HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Keeps the window for the pages that it serves itself. Any other page that is open in the same browser could send
 * requests here, too, or reach this address by a name of its own.
 *
 * @throws {Refusal} where a request comes from elsewhere.
 */
export function refuseForeign(headers: IncomingHttpHeaders, port: number): void {
  const hosts = HOSTS.map((host) => (port === 80 ? host : `${host}:${port}`));
  const { host = "", origin } = headers;
  if (!hosts.includes(host.toLowerCase())) {
    throw new Refusal(403, `This is reached as ${hosts.join(" or ")}, and not as "${host}".`);
  }
  if (origin !== undefined && !hosts.some((own) => origin.toLowerCase() === `http://${own}`)) {
    throw new Refusal(403, `The page at ${origin} has no business here.`);
  }
}

/**
 * The same for what only the page itself asks for. Where a browser names no origin, it still says whose page it is.
 *
 * @throws {Refusal}
 */
export function refuseOtherSites(headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"] ?? "same-origin";
  if (site !== "same-origin" && site !== "none") throw new Refusal(403, "Another page has no business here.");
}
