import type { IncomingMessage, ServerResponse } from "node:http";
import { type Access, INSTALL_PATH, REDIRECT_PATH } from "../slack/access.js";

/** What is asked of the bot beside Slack's own requests. */
export interface Route {
  path: string;
  method: "GET";
  handler(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export interface RouteOptions {
  access: Access;
  /** What stands in the way of answering people; nothing where all is well. */
  notReady(): Promise<string | undefined>;
}

/** Health, and the pages that install the bot. */
export function routesOf({ access: { installer }, notReady }: RouteOptions): Route[] {
  const health: Route[] = [
    { path: "/healthz", method: "GET", handler: (_, response) => send(response, 200, { status: "ok" }) },
    {
      path: "/readyz",
      method: "GET",
      async handler(_, response) {
        const reason = await notReady();
        send(response, reason === undefined ? 200 : 503, { status: reason ?? "ok" });
      },
    },
  ];
  if (!installer) return health;
  return [
    ...health,
    { path: INSTALL_PATH, method: "GET", handler: (...exchange) => installer.begin(...exchange) },
    { path: REDIRECT_PATH, method: "GET", handler: (...exchange) => installer.end(...exchange) },
  ];
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}
