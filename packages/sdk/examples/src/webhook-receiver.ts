import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "@media-ops/sdk/webhooks";

/** A server for a project's webhook URL. It passes on signed events and refuses everything else. */
export function createWebhookReceiver(secret: string | undefined, handle: (event: WebhookEvent) => void): Server {
  return createServer(async (request, response) => {
    try {
      handle(await verifyWebhook({ body: await buffer(request), headers: request.headers, secret }));
      response.writeHead(204).end();
    } catch (error) {
      // The service retries an event that is answered with 500.
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  });
}
