import { PrivateAddressError } from "@media-ops/public-addresses";
import { redactKeys } from "@media-ops/secrets";
import { webhookAddressFault } from "../webhooks/address.js";
import {
  removeWebhook,
  rotateSecret,
  setWebhook,
  type Webhook,
  type WebhookKind,
  webhooksOf,
} from "../webhooks/webhooks.js";
import { type Command, CommandError, toTable } from "./command.js";
import { nameFault } from "./name-fault.js";
import { needProject } from "./need-project.js";
import { findWebhook, needWebhook, readKind, webhookParameters } from "./need-webhook.js";

const toTime = (ms: number): string => new Date(ms).toISOString();

const set: Command = {
  name: "webhooks set",
  parameters: [...webhookParameters, "<address>"],
  summary: "Sets where a project gets its webhooks, and switches that on. Shows the signing secret the first time.",
  help: `auth: asked whether a client is let in. session: told of sessions. event: told of connections, with retries.
Another address later keeps the secret. Private addresses need MEDIA_ALLOW_PRIVATE_WEBHOOKS=true.`,
  async run({ withStorage, config, now }, [projectId = "", kindText = "", url = ""]) {
    const kind = readKind(kindText);
    const allowPrivate = config().allowPrivateWebhooks;
    return withStorage(async ({ query }, vault) => {
      await needProject(query, projectId);
      const fault = webhookAddressFault(url, { allowPrivate });
      if (fault) throw new CommandError(fault);
      const warning = await warningFor(url, allowPrivate);
      const before = await findWebhook(query, projectId, kind);
      const secret = await setWebhook(query, vault, { projectId, kind, url, now: now() });
      const told = secret === undefined ? keptSecret(projectId, kind) : shownOnce(secret);
      return {
        text: [
          `The ${kind} address of ${projectId} is ${redactKeys(url)} from now on.`,
          ...(before?.offAt ? [`It was switched off, as ${before.offReason}, and is on again.`] : []),
          ...(warning === undefined ? [] : [warning]),
          told,
        ].join("\n"),
        json: {
          project_id: projectId,
          kind,
          url: redactKeys(url),
          signing_secret: secret ?? null,
          warning: warning ?? null,
        },
      };
    });
  },
};

/** Refuses a name that leads to private addresses. One that cannot be looked up now may be right all the same. */
async function warningFor(url: string, allowPrivate: boolean): Promise<string | undefined> {
  const fault = await nameFault(url, { allowPrivate });
  if (fault === undefined) return undefined;
  if (fault instanceof PrivateAddressError) throw new CommandError(fault.message);
  const code = "code" in fault ? ` (${fault.code})` : "";
  return `The name ${new URL(url).hostname} cannot be looked up now${code}. Is it written as it should be?`;
}

const shownOnce = (secret: string): string => `Its signing secret, shown this once:\n\n  ${secret}\n`;

const keptSecret = (projectId: string, kind: WebhookKind): string =>
  `Its signing secret stays as it was. For a new one: media-ops webhooks rotate-secret ${projectId} ${kind}`;

const show: Command = {
  name: "webhooks show",
  parameters: ["<project>"],
  summary: "Shows a project's own addresses, and whether they are on.",
  run: ({ withStorage, now }, [projectId = ""]) =>
    withStorage(async ({ query }) => {
      await needProject(query, projectId);
      const webhooks = await webhooksOf(query, [projectId]);
      const shown = webhooks.map((webhook) => ({ ...webhook, twoSecretsUntil: twoSecretsUntil(webhook, now()) }));
      return {
        text:
          shown.length === 0
            ? `The project ${projectId} has no address of its own. Set one: media-ops webhooks set ${projectId} event <address>`
            : toTable(
                ["for", "address", "set", "state", "signed with"],
                shown.map(({ kind, url, setAt, offAt, offReason, twoSecretsUntil }) => [
                  kind,
                  redactKeys(url),
                  setAt,
                  offAt === null ? "on" : `off since ${offAt}: ${offReason}`,
                  twoSecretsUntil === null ? "one secret" : `two secrets until ${twoSecretsUntil}`,
                ]),
              ),
        json: shown.map(({ kind, url, setAt, offAt, offReason, twoSecretsUntil }) => ({
          project_id: projectId,
          kind,
          url: redactKeys(url),
          set_at: setAt,
          is_on: offAt === null,
          off_at: offAt,
          off_reason: offReason,
          old_secret_until: twoSecretsUntil,
        })),
      };
    }),
};

function twoSecretsUntil({ oldSecret, oldSecretUntil }: Webhook, now: number): string | null {
  const isRotating = oldSecret !== null && oldSecretUntil !== null && now < oldSecretUntil;
  return isRotating ? toTime(oldSecretUntil) : null;
}

const rotate: Command = {
  name: "webhooks rotate-secret",
  parameters: webhookParameters,
  summary: "Makes a new signing secret, shown this once; the old one signs too for a day.",
  help: "Two secrets sign at most: the one before the old one ends at once.",
  async run({ withStorage, now }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    return withStorage(async ({ query }, vault) => {
      const before = await needWebhook(query, projectId, kind);
      const rotated = await rotateSecret(query, vault, { projectId, kind, now: now() });
      if (!rotated) throw new CommandError(`The ${kind} address of ${projectId} was removed a moment ago.`);
      const until = toTime(rotated.oldSecretUntil);
      const isThird = twoSecretsUntil(before, now()) !== null;
      return {
        text: [
          `The new signing secret of the ${kind} address of ${projectId}, shown this once:\n\n  ${rotated.secret}\n`,
          `The one before it signs too until ${until}: let the receiver know the new one by then.`,
          ...(isThird ? ["A rotation was under way: the secret before that one signs no longer."] : []),
        ].join("\n"),
        json: { project_id: projectId, kind, signing_secret: rotated.secret, old_secret_until: until },
      };
    });
  },
};

/** What is otherwise once an address is removed. */
const afterRemoval: Readonly<Record<WebhookKind, string>> = {
  auth: "Clients are let in by their tokens alone now.",
  session: "Nobody is told of sessions now.",
  event: "What still waits for it is given up.",
};

const remove: Command = {
  name: "webhooks remove",
  parameters: webhookParameters,
  summary: "Forgets a project's address and its signing secret.",
  help: "An auth address that is removed no longer has a say: clients are then let in by their tokens alone.",
  async run({ withStorage }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    return withStorage(async ({ query }) => {
      await needWebhook(query, projectId, kind);
      await removeWebhook(query, projectId, kind);
      return {
        text: `The ${kind} address of ${projectId} is removed. ${afterRemoval[kind]}`,
        json: { project_id: projectId, kind, removed: true },
      };
    });
  },
};

export const webhookCommands: readonly Command[] = [set, show, rotate, remove];
