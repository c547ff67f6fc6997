import type { Delivery, DeliveryAttempt, ResendDeliveriesRequest, WebhookEndpoint } from "@media-ops/contract";
import type { Statement } from "@media-ops/database";
import { type ActOptions, actRoute, readCursor, toCursor } from "../audit/acts.js";
import type { ApiCaller } from "../http/api-gate.js";
import { type OperationCall, operationRoute } from "../http/operations.js";
import { type Action, jsonAnswer, whileConnected } from "../http/route.js";
import type { Reads } from "../reads/reads.js";
import { badInput, checkOwnProject, Refusal } from "../refusal.js";
import { momentMs } from "../search/moments.js";
import { redact } from "../secrets/redact.js";
import type { Storage } from "../storage/open-storage.js";
import { openQueue } from "../stores.js";
import { findWebhook, switchOnStatements, type Webhook, type WebhookKind, webhooksOf } from "../webhooks/webhooks.js";
import { changeDeliveries, findDeliveries, type StoredDelivery } from "./find-deliveries.js";

interface DeliveryRoutesOptions extends ActOptions {
  readonly kind: Storage["kind"];
  readonly reads: Reads;
  write(statements: readonly Statement[]): Promise<unknown[][]>;
  checkDatabase(): void;
}

const DEFAULT_LIMIT = 100;
// A caller prefers a part to a longer wait.
const RESEND_MS = 2000;
// The contract's limits.
const MAX_ATTEMPTS = 100;
const MAX_FAULT = 1024;

/** The operations that list deliveries and webhook endpoints, send events again, and switch an endpoint on. */
export function deliveryRoutes(options: DeliveryRoutesOptions): Action<ApiCaller>[] {
  const { gate, query, reads, checkDatabase } = options;
  // One at a time for each project, since its writes take time from those of others.
  const resending = new Set<string>();
  const waitingFor = ({ key, request }: Pick<OperationCall<"listWebhookEndpoints">, "key" | "request">) =>
    whileConnected(request, (signal) => reads.waitingDeliveries({ ...key, signal }, undefined));
  return [
    operationRoute("listDeliveries", gate, async ({ body, key, request }) => {
      checkOwnProject(body.project_id, key.projectId);
      checkDatabase();
      const { limit = DEFAULT_LIMIT, state, type, since, until } = body;
      const filter = {
        state,
        type,
        deliveryId: body.delivery_id,
        eventId: body.event_id,
        since: since === undefined ? undefined : momentMs(since),
        until: until === undefined ? undefined : momentMs(until),
      };
      const after = readCursor(body.cursor)?.[1];
      const { rows, next } = await whileConnected(request, (signal) =>
        reads.deliveries({ ...key, signal }, { filter, after, limit }),
      );
      return jsonAnswer({
        deliveries: rows.map(toDelivery),
        ...(next !== undefined && { next_cursor: toCursor([0, next]) }),
      });
    }),

    actRoute(
      "resendDeliveries",
      {
        action: "deliveries.resend",
        subjectOf: ({ delivery_id, event_id, since }) => delivery_id ?? event_id ?? (since && `failed since ${since}`),
      },
      options,
      async ({ body, key, request }, act) => {
        checkDatabase();
        const { projectId } = key;
        checkResend(body);
        await checkEndpoint(options, projectId);
        const { kind, write, now } = options;
        const queue = openQueue({ kind, query, writeAll: write }, { owner: "", now });
        if (body.since !== undefined) {
          if (resending.has(projectId)) throw alreadyResending();
          const since = momentMs(body.since);
          const until = body.until === undefined ? undefined : momentMs(body.until);
          const filter = { type: body.type, since, until, state: "failed" } as const;
          const endsAt = performance.now() + RESEND_MS;
          resending.add(projectId);
          const { changed: resent, next } = await whileConnected(request, (signal) =>
            changeDeliveries(
              (after) => reads.deliveries({ ...key, signal, isAct: true }, { filter, after, order: "oldest" }),
              (failed) => queue.resend(failed, act.now),
              {
                after: readCursor(body.cursor)?.[1],
                isOver: () => signal.aborted || performance.now() >= endsAt,
              },
            ),
          ).finally(() => resending.delete(projectId));
          await write([act.done(resent === 1 ? "1 delivery" : `${resent} deliveries`)]);
          return jsonAnswer({ resent, ...(next !== undefined && { next_cursor: toCursor([0, next]) }) });
        }
        const { delivery_id: deliveryId, event_id: eventId } = body;
        const [delivery] = await findDeliveries(query, { projectId, deliveryId, eventId }, 1);
        if (!delivery) throw unknownDelivery(body);
        await queue.retry([delivery]);
        await write([act.done(`event ${delivery.eventId}`)]);
        return jsonAnswer({ resent: 1, delivery_id: delivery.deliveryId });
      },
    ),

    operationRoute("listWebhookEndpoints", gate, async ({ body, key, request }) => {
      checkOwnProject(body.project_id, key.projectId);
      checkDatabase();
      const webhooks = await webhooksOf(query, [key.projectId]);
      const waiting = await waitingFor({ key, request });
      return jsonAnswer({ endpoints: webhooks.map((webhook) => toEndpoint(webhook, waiting)) });
    }),

    actRoute(
      "enableWebhookEndpoint",
      { action: "endpoint.enable", subjectOf: ({ kind }) => kind },
      options,
      async ({ body: { kind }, key, request }, act) => {
        checkDatabase();
        const { write } = options;
        const { projectId } = key;
        const before = await needEndpoint(options, projectId, kind, "/kind");
        const detail = before.offAt === null ? "it was on already" : `it was off because ${before.offReason}`;
        await write([...(before.offAt === null ? [] : switchOnStatements(query, projectId, kind)), act.done(detail)]);
        const endpoint = await needEndpoint(options, projectId, kind, "/kind");
        return jsonAnswer(toEndpoint(endpoint, await waitingFor({ key, request })));
      },
    ),
  ];
}

function alreadyResending(): Refusal {
  const detail = "Failed deliveries of this project are being queued already. Try again in 2 seconds.";
  return new Refusal("too-many-requests", detail, { headers: { "retry-after": "2" } });
}

type Reading = Pick<DeliveryRoutesOptions, "query">;

async function needEndpoint(
  { query }: Reading,
  projectId: string,
  kind: WebhookKind,
  pointer: string,
): Promise<Webhook> {
  const found = await findWebhook(query, projectId, kind);
  if (found) return found;
  const detail = `The project has no ${kind} webhook. Its operator sets one with: media-ops webhooks set ${projectId} ${kind} <url>`;
  throw badInput([{ pointer, detail }]);
}

/** Without an active event webhook, the deliveries would be given up at once. */
async function checkEndpoint(options: Reading, projectId: string): Promise<void> {
  const { offAt, offReason } = await needEndpoint(options, projectId, "event", "");
  if (offAt === null) return;
  const detail = `The event webhook is switched off because ${offReason}, so nothing can be sent. Switch it on first: /projects/enable-webhook-endpoint.`;
  throw badInput([{ pointer: "", detail }]);
}

function checkResend({ delivery_id, event_id, since, until, type, cursor }: ResendDeliveriesRequest): void {
  if ([delivery_id, event_id, since].filter((given) => given !== undefined).length !== 1) {
    const detail = "Must have either delivery_id or event_id, for one event, or since, for all that failed.";
    throw badInput([{ pointer: "", detail }]);
  }
  if (since !== undefined) return;
  for (const [name, given] of Object.entries({ until, type, cursor })) {
    if (given !== undefined) throw badInput([{ pointer: `/${name}`, detail: "Is only allowed with since." }]);
  }
}

function unknownDelivery({ delivery_id, event_id }: ResendDeliveriesRequest): Refusal {
  const pointer = delivery_id === undefined ? "/event_id" : "/delivery_id";
  const detail = `There is no delivery of ${delivery_id ?? event_id} in this project. Delivered ones are kept for a day, failed ones for 30 days.`;
  return badInput([{ pointer, detail }]);
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

function toDelivery(delivery: StoredDelivery): Delivery {
  // One that is sent again with others is due since that was requested.
  const nextAt = delivery.nextAt ?? delivery.resendAt;
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    type: delivery.type,
    state: delivery.state,
    created_at: timeOf(delivery.createdAt),
    attempts: attemptsIn(delivery.attempts),
    ...(nextAt !== null && { next_attempt_at: timeOf(nextAt) }),
    ...(delivery.endedAt !== null && { ended_at: timeOf(delivery.endedAt) }),
    ...(delivery.lastFault !== null && { fault: delivery.lastFault.slice(0, MAX_FAULT) }),
  };
}

function attemptsIn(text: string): DeliveryAttempt[] {
  const attempts = text === "" ? [] : text.split(",").slice(-MAX_ATTEMPTS);
  return attempts.map((attempt) => {
    const [at, status] = attempt.split(":");
    return { timestamp: timeOf(Number(at)), status: Number(status) };
  });
}

function toEndpoint({ kind, url, offAt, offReason, failingSince }: Webhook, waiting: number): WebhookEndpoint {
  return {
    kind,
    url: redact(url),
    state: offAt !== null ? "off" : failingSince !== null ? "failing" : "ok",
    ...(failingSince !== null && { failing_since: failingSince }),
    ...(offAt !== null && { off_since: offAt, off_reason: offReason ?? "it was switched off" }),
    ...(kind === "event" && { waiting }),
  };
}
