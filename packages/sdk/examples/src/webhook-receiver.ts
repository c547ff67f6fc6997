import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "@media-ops/sdk/webhooks";

/** A server for a project's own event address. It hands on what the service has signed, and refuses all else. */
export function createWebhookReceiver(secret: string | undefined, handle: (event: WebhookEvent) => void): Server {
  return createServer(async (request, response) => {
    try {
      handle(await verifyWebhook({ body: await buffer(request), headers: request.headers, secret }));
      response.writeHead(204).end();
    } catch (error) {
      // What is answered with 500 is sent again later.
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  });
}
