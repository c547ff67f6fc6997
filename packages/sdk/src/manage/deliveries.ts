import type {
  Deliveries,
  Delivery,
  EnableWebhookEndpointRequest,
  ListDeliveriesRequest,
  ListWebhookEndpointsRequest,
  ResendDeliveriesRequest,
  ResentDeliveries,
  WebhookEndpoint,
  WebhookEndpoints,
} from "@media-ops/contract";
import { fieldsOf, isListOf, type MediaResponse } from "../answer.js";
import { managePaths, type Optional, type Timed } from "../operations.js";
import type { CallOptions } from "../options.js";
import { type MediaPromise, type Send, toMediaPromise } from "../transport.js";
import { createList, isPageOf, type ListPages, sendRequest } from "./pages.js";

/** Deliveries of events to the project's event webhook. A service without these operations is a `MediaNotFoundError`. */
export interface DeliveriesApi {
  /**
   * Lists deliveries with their attempts. Delivered ones are kept for a day, failed ones for 30 days.
   *
   * @example const { deliveries } = await client.deliveries.list({ state: "failed", since: "2026-04-01T09:00:00Z" });
   */
  list: ListPages<Timed<ListDeliveriesRequest>, Deliveries, Delivery>;
  /**
   * Sends an event again (`delivery_id` or `event_id`), or all whose delivery has failed since a time (`since`).
   * Receivers recognise a repeat by its `webhook-id`.
   *
   * @example const { resent } = await client.deliveries.resend({ since: "2026-04-01T09:00:00Z" });
   */
  resend(request: Timed<ResendDeliveriesRequest>, options?: CallOptions): MediaPromise<ResentDeliveries>;
}

/** Creates the deliveries part of a client. */
export function createDeliveries(send: Send): DeliveriesApi {
  return {
    list: createList(send, {
      path: managePaths.listDeliveries,
      isPage: isDeliveries,
      itemsOf: ({ deliveries }) => deliveries,
    }),
    resend: (request, options = {}) => toMediaPromise(resendAll(send, request, options)),
  };
}

/** Requests until all are queued: the service queues many a part at a time. */
async function resendAll(send: Send, request: object, options: CallOptions): Promise<MediaResponse<ResentDeliveries>> {
  let answer = await sendRequest(send, managePaths.resendDeliveries, isResent, request, options);
  let { resent, next_cursor: cursor } = answer.data;
  while (cursor) {
    answer = await sendRequest(send, managePaths.resendDeliveries, isResent, { ...request, cursor }, options);
    resent += answer.data.resent;
    cursor = answer.data.next_cursor;
  }
  return { ...answer, data: { ...answer.data, resent } };
}

function isDeliveries(body: unknown): body is Deliveries {
  const isDelivery = (item: unknown): boolean => Array.isArray(fieldsOf(item).attempts);
  return isPageOf(body, "deliveries", "delivery_id") && isListOf(fieldsOf(body).deliveries, isDelivery);
}

function isResent(body: unknown): body is ResentDeliveries {
  return typeof fieldsOf(body).resent === "number";
}

/** The project's own webhook addresses. A service without these operations is a `MediaNotFoundError`. */
export interface EndpointsApi {
  /**
   * Lists the endpoints with their states: `ok`, `failing`, or switched `off` because the receiver answered 410 Gone.
   *
   * @example const { endpoints } = await client.endpoints.list();
   */
  list(request?: Optional<ListWebhookEndpointsRequest>, options?: CallOptions): MediaPromise<WebhookEndpoints>;
  /**
   * Switches an endpoint on again that was switched off. Events that failed meanwhile are not sent: resend them.
   *
   * @param endpoint Its kind, or a request that also names the project.
   * @example await client.endpoints.enable("event")
   */
  enable(
    endpoint: WebhookEndpoint["kind"] | (Optional<EnableWebhookEndpointRequest> & Pick<WebhookEndpoint, "kind">),
    options?: CallOptions,
  ): MediaPromise<WebhookEndpoint>;
}

/** Creates the endpoints part of a client. */
export function createEndpoints(send: Send): EndpointsApi {
  return {
    list: (request = {}, options = {}) =>
      toMediaPromise(sendRequest(send, managePaths.listEndpoints, isEndpoints, request, options)),
    enable: (endpoint, options = {}) => {
      const request = typeof endpoint === "string" ? { kind: endpoint } : endpoint;
      return toMediaPromise(sendRequest(send, managePaths.enableEndpoint, isEndpoint, request, options));
    },
  };
}

function isEndpoints(body: unknown): body is WebhookEndpoints {
  return isListOf(fieldsOf(body).endpoints, isEndpoint);
}

function isEndpoint(body: unknown): body is WebhookEndpoint {
  const { kind, state } = fieldsOf(body);
  return typeof kind === "string" && typeof state === "string";
}
