import { capital } from "@media-ops/commands";
import * as terminal from "@media-ops/formatters/terminal";
import type { WebhookEndpoint } from "@media-ops/sdk";
import { confirm, NOTHING_DONE, requireConsent } from "./confirm.js";
import { type Connected, connect } from "./connect.js";
import { CliError } from "./errors.js";
import { type CommandNamed, language } from "./language.js";
import { harmlessJson } from "./output.js";
import type { Session } from "./session.js";

/** `media endpoints`: shows the state of the webhook endpoints. */
export async function endpoints(command: CommandNamed<"endpoints">, session: Session): Promise<void> {
  const { flags, screen, print } = session;
  const connected = await connect(session);
  const found = await list(command, connected, session);
  if (flags.json) return print(harmlessJson(JSON.stringify({ endpoints: found })));
  const title = capital(language.describe(command, { project: connected.project }));
  print(terminal.formatEndpoints(found, { ...screen, title }));
}

/** `media endpoints enable`: shows the endpoint, asks, and switches it on. */
export async function enable(command: CommandNamed<"enable">, session: Session): Promise<void> {
  requireConsent(session);
  const { world, flags, screen, print } = session;
  const connected = await connect(session);
  if (!flags.yes) await ask(command, connected, session);
  const request = { project_id: command.in ?? connected.project, kind: command.endpoint };
  const enabled = await connected.wait(connected.client.endpoints.enable(request, { signal: world.signal }));
  if (flags.json) return print(harmlessJson(JSON.stringify(enabled)));
  print(terminal.formatEnabled(enabled, screen));
}

async function ask(command: CommandNamed<"enable">, connected: Connected, session: Session): Promise<void> {
  const { endpoint: kind } = command;
  const endpoint = (await list(command, connected, session)).find((one) => one.kind === kind);
  if (!endpoint) throw new CliError(`The project has no ${kind} endpoint. ${NOTHING_DONE}`);
  session.show(terminal.formatEndpoints([endpoint], session.aside));
  if (endpoint.off_since !== undefined && kind === "event") {
    session.say(`Events that failed meanwhile are not sent again: media resend since:${endpoint.off_since}`);
  }
  await confirm(`Switch the ${kind} endpoint on?`, session);
}

async function list(
  { in: named }: { readonly in?: string },
  { client, wait, project }: Connected,
  { world }: Session,
): Promise<readonly WebhookEndpoint[]> {
  const found = await wait(client.endpoints.list({ project_id: named ?? project }, { signal: world.signal }));
  return found.endpoints;
}
