import { randomUUID } from "node:crypto";
import { redactKeys } from "@media-ops/secrets";
import { redactBody } from "../secrets/redact.js";
import { openLogs } from "../stores.js";
import { Courier, isSuccess } from "../webhooks/courier.js";
import { type Receipt, WebhookSender } from "../webhooks/sender.js";
import { WebhookSecrets } from "../webhooks/webhook-secrets.js";
import type { Command } from "./command.js";
import { needWebhook, readKind, webhookParameters } from "./need-webhook.js";
import { printable } from "./printable.js";

const TYPE = "webhook.test";
// As long as an event may take.
const TIMEOUT_MS = 10_000;
const SHOWN_CHARACTERS = 500;

export const testWebhookCommand: Command = {
  name: "webhooks test",
  parameters: webhookParameters,
  summary: "Sends a signed test message to a project's own address now, and says what the receiver answered.",
  help: `The message is of the type ${TYPE}. It is sent once, also to an address that is switched off, and stands in the
project's webhook log. Ends with 1 unless the receiver answers 2xx.`,
  async run({ withStorage, config, now }, [projectId = "", kindText = ""]) {
    const kind = readKind(kindText);
    const sender = new WebhookSender({ allowPrivate: config().allowPrivateWebhooks, now });
    return withStorage(async (storage, vault) => {
      const webhook = await needWebhook(storage.query, projectId, kind);
      const id = randomUUID();
      const timestamp = new Date(now()).toISOString();
      const courier = new Courier({ sender, secrets: new WebhookSecrets(vault), now });
      const { receipt, entry } = await courier.send({
        webhook,
        id,
        type: TYPE,
        body: JSON.stringify({ type: TYPE, id, timestamp, project_id: projectId }),
        timeoutMs: TIMEOUT_MS,
      });
      await (await openLogs(storage, now)).append([entry]);
      const { status, fault } = receipt;
      const [url, elapsedMs, answer] = [
        redactKeys(webhook.url),
        Math.round(receipt.elapsedMs),
        redactBody(`${receipt.body}`),
      ];
      const off = `The address is switched off, as ${webhook.offReason}; setting it again switches it on.`;
      return {
        text: [
          `${url}: ${status === 0 ? "no answer" : `status ${status}`} after ${elapsedMs} ms.`,
          ...adviceOn(receipt, answer),
          ...(webhook.offAt === null ? [] : [off]),
        ].join("\n"),
        json: { project_id: projectId, kind, url, id, status, elapsed_ms: elapsedMs, fault: fault ?? null, answer },
        exitCode: isSuccess(receipt) ? 0 : 1,
      };
    }).finally(() => sender.close());
  },
};

/** What was wrong, and what to do about it. */
function adviceOn(receipt: Receipt, answer: string): string[] {
  const { status, fault } = receipt;
  if (isSuccess(receipt)) return [];
  return [
    ...(fault === undefined ? [] : [`What was wrong: ${printable(fault)}.`]),
    ...(status >= 300 && status < 400 ? ["A redirect is not followed. Set the address that it leads to."] : []),
    ...(answer === "" ? [] : [`The receiver said: ${printable(answer, SHOWN_CHARACTERS)}`]),
  ];
}
