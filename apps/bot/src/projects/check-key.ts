import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { MediaError } from "@media-ops/sdk";
import { ServiceBusyError, ServiceSilentError } from "../connections/services.js";
import { notSentWords } from "../problem.js";
import type { Request } from "../request.js";
import type { Given } from "./connect-faults.js";
import { hostOf } from "./words.js";

/** Asks the service with a key. What was wrong, in Slack's markup; undefined where the key is good for the project. */
export async function keyFault({ address, project, key }: Given, request: Request): Promise<string | undefined> {
  const { clients, teamId, log } = request;
  try {
    const ask = clients.to({ teamId, projectId: project, baseUrl: address, apiKey: key }, request);
    await ask((client) => client.logs.sessions({ project_id: project }));
    return undefined;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    log.warn({ err: error, project }, "a key was not taken by the service that it was given for");
    if (error instanceof ServiceSilentError || error instanceof ServiceBusyError) return `*✗* ${notSentWords(error)}`;
    return wordsFor(error, project, address);
  }
}

/** In our own words: what a service says may repeat the key. */
function wordsFor({ code }: MediaError, project: string, address: string): string {
  const [at, name] = [hostOf({ baseUrl: address }), project].map(escapeMrkdwn);
  switch (code) {
    case "Unauthorized":
      return "*✗ The service does not know this key, or it was revoked.* Paste the whole key, or one that is good.";
    case "Forbidden":
      return `*✗ This key belongs to another project than ${name}.* Paste a key of ${name}, or name the key's own project.`;
    case "BadRequest":
      return `*✗ The service does not take ${name} for a project.* Check the name, then paste the key again.`;
    case "Connection":
      return `*✗ No service was reached at ${at}.* Check the address, and that the service runs; then paste the key again.`;
    case "Timeout":
      return `*✗ The service at ${at} took too long to answer.* Paste the key again to try once more.`;
    case "NotFound":
    case "MethodNotAllowed":
    case "Response":
      return `*✗ What answers at ${at} is no media service.* Check the address, then paste the key again.`;
    default:
      return `*✗ The service at ${at} could not check the key now.* Paste the key again in a minute.`;
  }
}
