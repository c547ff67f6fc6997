import { randomUUID } from "node:crypto";
import { PrivateAddressError } from "@media-ops/public-addresses";
import { redactKeys } from "@media-ops/secrets";
import type { Kysely } from "kysely";
import { redactBody } from "../secrets/redact.js";
import type { Tables } from "../storage/tables.js";
import { openLogs } from "../stores.js";
import { hostFault, webhookAddressFault } from "../webhooks/address.js";
import { isSuccess, type Receipt, WebhookSender } from "../webhooks/sender.js";
import {
  findWebhook,
  removeWebhook,
  rotateSecret,
  setWebhook,
  type Webhook,
  type WebhookKind,
  webhookKinds,
  webhooksOf,
} from "../webhooks/webhooks.js";
import { type Command, CommandError, list, printable, readOneOf } from "./command.js";

const TEST_TYPE = "webhook.test";
// The same time limit as for an event.
const TEST_TIMEOUT_MS = 10_000;
const SHOWN_CHARACTERS = 500;

const webhookParameters = ["<project>", `<${webhookKinds.join("|")}>`] as const;

const readKind = (text: string): WebhookKind => readOneOf("The kind of webhook", text, webhookKinds);

const toTime = (ms: number): string => new Date(ms).toISOString();

/** A project's webhook; throws a {@link CommandError} if there is none. */
export async function needWebhook(query: Kysely<Tables>, projectId: string, kind: WebhookKind): Promise<Webhook> {
  const webhook = await findWebhook(query, projectId, kind);
  if (webhook) return webhook;
  throw new CommandError(
    `The project ${projectId} has no ${kind} address. To set one: media-ops webhooks set ${projectId} ${kind} <address>`,
  );
}

const set: Command = {
  name: "webhooks set",
  parameters: [...webhookParameters, "<address>"],
  summary: "Sets a project's webhook address, and switches it on. Shows the signing secret the first time.",
  isAct: true,
  help: `auth: asked whether a client may connect. session: receives sessions. event: receives connections, with retries.
A new address keeps the secret. Private addresses need MEDIA_ALLOW_PRIVATE_WEBHOOKS=true.`,
  async run({ open, config, now }, [projectId = "", kindText = "", url = ""]) {
    const kind = readKind(kindText);
    const allowPrivate = config().allowPrivateWebhooks;
    const { query, vault } = await open(projectId);
    const fault = webhookAddressFault(url, { allowPrivate });
    if (fault) throw new CommandError(fault);
    const warning = await warningFor(url, allowPrivate);
    const before = await findWebhook(query, projectId, kind);
    const secret = await setWebhook(query, vault, { projectId, kind, url, now: now() });
    const aboutSecret =
      secret === undefined
        ? `Its signing secret is unchanged. For a new one: media-ops webhooks rotate-secret ${projectId} ${kind}`
        : `Its signing secret, shown only once:\n\n  ${secret}\n`;
    return {
      text: [
        `The ${kind} address of ${projectId} is now ${redactKeys(url)}.`,
        ...(before?.offAt ? [`It was switched off because ${before.offReason}, and is on again.`] : []),
        ...(warning === undefined ? [] : [warning]),
        aboutSecret,
      ].join("\n"),
      json: {
        project_id: projectId,
        kind,
        url: redactKeys(url),
        signing_secret: secret ?? null,
        warning: warning ?? null,
      },
    };
  },
};

/** Throws if the name has only private addresses; warns if it can't be looked up, as it may still be right. */
async function warningFor(url: string, allowPrivate: boolean): Promise<string | undefined> {
  const fault = await hostFault(url, { allowPrivate });
  if (fault === undefined) return undefined;
  if (fault instanceof PrivateAddressError) throw new CommandError(fault.message);
  const code = "code" in fault ? ` (${fault.code})` : "";
  return `Warning: the name ${new URL(url).hostname} cannot be looked up now${code}. Check its spelling.`;
}

const show: Command = {
  name: "webhooks show",
  parameters: ["<project>"],
  summary: "Shows a project's webhook addresses, and whether they are on.",
  async run({ open, now }, [projectId = ""]) {
    const { query } = await open(projectId);
    const oldUntil = (webhook: Webhook) => twoSecretsUntil(webhook, now());
    return list(
      await webhooksOf(query, [projectId]),
      [
        { name: "project_id", of: () => projectId },
        { name: "kind", heading: "kind", of: ({ kind }) => kind },
        { name: "url", heading: "address", of: ({ url }) => redactKeys(url) },
        { name: "set_at", heading: "set", of: ({ setAt }) => setAt },
        {
          name: "is_on",
          heading: "state",
          of: ({ offAt }) => offAt === null,
          shown: ({ offAt, offReason }) => (offAt === null ? "on" : `off since ${offAt}: ${offReason}`),
        },
        { name: "off_at", of: ({ offAt }) => offAt },
        { name: "off_reason", of: ({ offReason }) => offReason },
        {
          name: "old_secret_until",
          heading: "signed with",
          of: oldUntil,
          shown: (webhook) => (oldUntil(webhook) === null ? "one secret" : `two secrets until ${oldUntil(webhook)}`),
        },
      ],
      `The project ${projectId} has no webhook address. To set one: media-ops webhooks set ${projectId} event <address>`,
    );
  },
};

function twoSecretsUntil({ oldSecret, oldSecretUntil }: Webhook, now: number): string | null {
  const isRotating = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  return isRotating ? toTime(oldSecretUntil) : null;
}

const rotate: Command = {
  name: "webhooks rotate-secret",
  parameters: webhookParameters,
  summary: "Creates a new signing secret, shown only once. The old one stays valid for a day.",
  isAct: true,
  help: "At most two secrets are valid: one that was rotated out before ends at once.",
  async run({ open, now }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    const { query, vault } = await open(projectId);
    const before = await needWebhook(query, projectId, kind);
    const rotated = await rotateSecret(query, vault, { projectId, kind, now: now() });
    if (!rotated) throw new CommandError(`The ${kind} address of ${projectId} was removed a moment ago.`);
    const until = toTime(rotated.oldSecretUntil);
    const isThird = twoSecretsUntil(before, now()) !== null;
    return {
      text: [
        `The new signing secret of the ${kind} address of ${projectId}, shown only once:\n\n  ${rotated.secret}\n`,
        `Webhooks are also signed with the old secret until ${until}: give the receiver the new one by then.`,
        ...(isThird ? ["The secret of the rotation before this one is no longer valid."] : []),
      ].join("\n"),
      json: { project_id: projectId, kind, signing_secret: rotated.secret, old_secret_until: until },
    };
  },
};

const test: Command = {
  name: "webhooks test",
  parameters: webhookParameters,
  summary: "Sends a signed test message to a webhook address now, and shows the receiver's answer.",
  help: `The message has the type ${TEST_TYPE}. It is sent once, even to an address that is switched off, and appears in the
project's webhook log. Exits with 1 unless the receiver answers 2xx.`,
  async run({ open, config, now }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    const { storage, query, vault } = await open(projectId);
    const webhook = await needWebhook(query, projectId, kind);
    const id = randomUUID();
    const sender = new WebhookSender({ vault, allowPrivate: config().allowPrivateWebhooks, now });
    const sending = sender.send({
      webhook,
      id,
      type: TEST_TYPE,
      body: JSON.stringify({ type: TEST_TYPE, id, timestamp: toTime(now()), project_id: projectId }),
      timeoutMs: TEST_TIMEOUT_MS,
    });
    const { receipt, entry } = await sending.finally(() => sender.close());
    await (await openLogs(storage, now)).append([entry]);
    const { status, fault } = receipt;
    const url = redactKeys(webhook.url);
    const elapsedMs = Math.round(receipt.elapsedMs);
    const answer = redactBody(`${receipt.body}`);
    return {
      text: [
        `${url}: ${status === 0 ? "no answer" : `status ${status}`} after ${elapsedMs} ms.`,
        ...adviceOn(receipt, answer),
        ...(webhook.offAt === null
          ? []
          : [`The address is switched off because ${webhook.offReason}. Set it again to switch it on.`]),
      ].join("\n"),
      json: { project_id: projectId, kind, url, id, status, elapsed_ms: elapsedMs, fault: fault ?? null, answer },
      exitCode: isSuccess(receipt) ? 0 : 1,
    };
  },
};

function adviceOn(receipt: Receipt, answer: string): string[] {
  const { status, fault } = receipt;
  if (isSuccess(receipt)) return [];
  return [
    ...(fault === undefined ? [] : [`Error: ${printable(fault)}.`]),
    ...(status >= 300 && status < 400 ? ["Redirects are not followed. Set the address that it redirects to."] : []),
    ...(answer === "" ? [] : [`The receiver's answer: ${printable(answer, SHOWN_CHARACTERS)}`]),
  ];
}

const afterRemoval: Readonly<Record<WebhookKind, string>> = {
  auth: "Clients are now admitted by their tokens alone.",
  session: "Sessions are no longer reported.",
  event: "Events that wait for delivery are given up.",
};

const remove: Command = {
  name: "webhooks remove",
  parameters: webhookParameters,
  summary: "Removes a project's webhook address and its signing secret.",
  isAct: true,
  help: "Without an auth address, clients are admitted by their tokens alone.",
  async run({ open }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    const { query } = await open(projectId);
    await needWebhook(query, projectId, kind);
    await removeWebhook(query, projectId, kind);
    return {
      text: `Removed the ${kind} address of ${projectId}. ${afterRemoval[kind]}`,
      json: { project_id: projectId, kind, removed: true },
    };
  },
};

/** The commands of `webhooks`. */
export const webhookCommands: readonly Command[] = [set, show, rotate, remove, test];
