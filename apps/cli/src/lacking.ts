import { MediaMethodNotAllowedError, MediaNotFoundError } from "@media-ops/sdk";
import { connect } from "./connect.js";
import { CliError } from "./errors.js";
import type { Command } from "./language.js";
import type { Session } from "./session.js";

/**
 * The error to show instead, if the service lacks what a command needs: not every service has an event log, or says who
 * is connected. Undefined if the error has another cause.
 */
export async function lackOf(command: Command, error: unknown, session: Session): Promise<CliError | undefined> {
  const words = lackWords(command);
  if (words === undefined || !isUnknownCall(error)) return undefined;
  const { client, wait } = await connect(session);
  // Every media service lists sessions; where that is refused, too, there is none.
  const sessions = wait(client.logs.list("sessions", { limit: 1 }, { signal: session.world.signal }));
  const isService = await sessions.then(
    () => true,
    () => false,
  );
  return isService ? new CliError(words) : undefined;
}

/** Whether an error is the answer of a service that does not have the call: 404, or 405. */
export function isUnknownCall(error: unknown): boolean {
  return error instanceof MediaNotFoundError || error instanceof MediaMethodNotAllowedError;
}

function lackWords(command: Command): string | undefined {
  switch (command.name) {
    case "why":
      return "This service has no event log, so it cannot say why connections failed. Update the service, or see what its other logs have: media trace <channel>, media summary webhooks failed.";
    case "live":
      return "This service cannot say who is connected. Update the service, or list the connections that have ended: media logs connections.";
    case "logs":
    case "summary":
    case "follow":
      return command.kind === "events"
        ? "This service has no event log. Update the service, or see what its other logs have: media logs connections, media logs webhooks."
        : undefined;
    case "tokens":
    case "revoke":
    case "check":
      return lacks("does not keep a record of access tokens, so it cannot list, revoke or check them");
    case "deliveries":
    case "resend":
      return lacks("cannot list or resend deliveries", "media logs webhooks failed");
    case "endpoints":
    case "enable":
      return lacks("cannot show or switch on webhook endpoints", "media summary webhooks by:url");
    case "audit":
      return lacks("has no audit log", "media logs api, media logs media-api");
    default:
      return undefined;
  }
}

function lacks(what: string, instead?: string): string {
  return `This service ${what}. Update the service${instead ? `, or see what its logs have: ${instead}` : ""}.`;
}
