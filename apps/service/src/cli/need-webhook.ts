import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { type Webhook, type WebhookKind, webhookKinds, webhooksOf } from "../webhooks/webhooks.js";
import { CommandError } from "./command.js";
import { readOneOf } from "./filters.js";
import { needProject } from "./need-project.js";

/** What is typed for an address. */
export const webhookParameters = ["<project>", `<${webhookKinds.join("|")}>`] as const;

export const readKind = (text: string): WebhookKind => readOneOf("What a webhook is for", text, webhookKinds);

/** A project's address; an error that helps where there is none. */
export async function needWebhook(query: Kysely<Tables>, projectId: string, kind: WebhookKind): Promise<Webhook> {
  await needProject(query, projectId);
  const webhook = await findWebhook(query, projectId, kind);
  if (webhook) return webhook;
  throw new CommandError(
    `The project ${projectId} has no ${kind} address. Set one: media-ops webhooks set ${projectId} ${kind} <address>`,
  );
}

export async function findWebhook(
  query: Kysely<Tables>,
  projectId: string,
  kind: WebhookKind,
): Promise<Webhook | undefined> {
  return (await webhooksOf(query, [projectId])).find((webhook) => webhook.kind === kind);
}
