import type {
  AccessToken,
  AuditEntry,
  AuditLog,
  CheckAccessTokenRequest,
  CheckedToken,
  CreateAccessTokenRequest,
  Deliveries,
  Delivery,
  EnableWebhookEndpointRequest,
  IssuedToken,
  IssuedTokens,
  ListAccessTokensRequest,
  ListAuditLogRequest,
  ListDeliveriesRequest,
  ListRevocationsRequest,
  ListWebhookEndpointsRequest,
  ResendDeliveriesRequest,
  ResentDeliveries,
  RevokeAccessTokenRequest,
  RevokedTokens,
  TokenRevocation,
  TokenRevocations,
  WebhookEndpoint,
  WebhookEndpoints,
} from "@media-ops/contract";
import {
  type AnswerOf,
  type ApiPath,
  createToken,
  MAX_ENTRIES,
  type MediaConnection,
  type MediaPromise,
  type Optional,
  postIfKnown,
  type RequestOf,
  type Timed,
  toMediaPromise,
} from "./api.js";
import { isObject, type MediaResponse, type Shape } from "./http.js";
import { type CallOptions, checkRequest } from "./options.js";

/** Lists something that has pages, newest first. */
export interface ListPages<Request, Page, Item> {
  /** Lists a page. It has a `next_cursor` if there are more, and only the last one may be empty. */
  (request?: Request, options?: CallOptions): MediaPromise<Page>;
  /**
   * Walks all pages, each of at most `limit` items, 1000 by default. An abort is thrown, so that it can't be taken for
   * the end.
   */
  all(request?: Request, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}

/** What all requests with pages have in common. */
interface PageRequest {
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** Creates the listing of an operation, by how a page is read and what its items are. */
function createList<Request extends PageRequest, Page extends { next_cursor?: string }, Item>(
  readPage: (request: Request | PageRequest, options?: CallOptions) => Promise<MediaResponse<Page>>,
  itemsOf: (page: Page) => readonly Item[],
): ListPages<Request, Page, Item> {
  async function list(request: Request | PageRequest, options?: CallOptions): Promise<MediaResponse<Page>> {
    let page = await readPage(request, options);
    // A service that looks for matches for long answers with what it has, which may be nothing yet.
    while (page.data.next_cursor && itemsOf(page.data).length === 0) {
      page = await readPage({ ...request, cursor: page.data.next_cursor }, options);
    }
    return page;
  }

  return Object.assign(
    (request: Request | PageRequest = {}, options?: CallOptions) => toMediaPromise(list(request, options)),
    {
      async *all(request: Request | PageRequest = {}, options?: CallOptions) {
        checkRequest(request);
        let { cursor, limit = MAX_ENTRIES } = request;
        do {
          const { data } = await list({ ...request, limit, cursor }, options);
          for (const item of itemsOf(data)) {
            options?.signal?.throwIfAborted();
            yield item;
          }
          cursor = data.next_cursor;
        } while (cursor);
      },
    },
  );
}

/**
 * Access tokens for the project that owns the API key. Not every service has more than `create`: what it lacks is a
 * `MediaNotFoundError`, for an hour without being asked again.
 */
export interface TokensApi {
  /**
   * Creates an access token. Every field is optional; without any, the token is valid for every channel and role and
   * never expires. The service stores a record of it, which `list` returns, and never the token itself. Each call, and
   * each retry, makes a token of its own.
   *
   * @example
   * const { access_token } = await client.tokens.create({
   * channel_id: "lobby@demo",
   * role: "recvonly",
   * expiration_time: expiresIn("10m"),
   * });
   */
  create(request?: Optional<CreateAccessTokenRequest>, options?: CallOptions): MediaPromise<AccessToken>;
  /**
   * Lists the tokens that the service has issued and that clients can still use, without the tokens themselves.
   *
   * @example for await (const { jwt_id, requested_by } of client.tokens.list.all({ channel_id: "lobby@demo" })) …
   */
  list: ListPages<Optional<ListAccessTokensRequest>, IssuedTokens, IssuedToken>;
  /**
   * Revokes a token (`jwt_id`), or all tokens for a channel that were issued before a time (`channel_id`). From
   * `effective_by` on, no client is admitted by them. Revoking again changes nothing.
   *
   * @example await client.tokens.revoke({ jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", disconnect: true })
   */
  revoke(request: Timed<RevokeAccessTokenRequest>, options?: CallOptions): MediaPromise<RevokedTokens>;
  /**
   * Reports whether a token is good now, and if not, why; and what a client with it would be answered. Nothing is changed.
   *
   * @example const { active, reason } = await client.tokens.check({ access_token, channel_id: "lobby@demo" });
   */
  check(
    request: Optional<CheckAccessTokenRequest> & Pick<CheckAccessTokenRequest, "access_token">,
    options?: CallOptions,
  ): MediaPromise<CheckedToken>;
  /**
   * Lists what was revoked, for programs that verify tokens by themselves: `@media-ops/sdk/tokens` does.
   *
   * @example for await (const { jwt_id, channel_id } of client.tokens.revocations.all()) console.log(jwt_id ?? channel_id);
   */
  revocations: ListPages<Optional<ListRevocationsRequest>, TokenRevocations, TokenRevocation>;
}

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

/** The connections to end: one, or all of a channel. */
export interface DisconnectRequest {
  /** `<channel_name>@<project_id>`. */
  channel_id: string;
  /** Only this connection. @default all of the channel */
  connection_id?: string | undefined;
}

/** Ends connections through the media server's API. */
export type Disconnect = (request: DisconnectRequest, options?: CallOptions) => MediaPromise<object>;

/** The audit log. A service without it is a `MediaNotFoundError`. */
export interface AuditApi {
  /**
   * Lists who changed what in the project. Entries are kept for a year.
   *
   * @example for await (const entry of client.audit.list.all({ action: "token.revoke" })) console.log(entry.subject);
   */
  list: ListPages<Timed<ListAuditLogRequest>, AuditLog, AuditEntry>;
}

/** Creates the parts of a client that manage a project. */
export function createManagement(connection: MediaConnection) {
  /** Calls an operation, whose answer has at least the parts of an example. */
  const call =
    <P extends ApiPath>(path: P, shape: Shape<AnswerOf<P>>) =>
    (request: Timed<RequestOf<P>>, options?: CallOptions) =>
      postIfKnown(connection, path, request, shape, options);
  const revoke = call("/projects/revoke-access-token", { effective_by: "" });
  const checkToken = call("/projects/check-access-token", { active: true });
  const resend = call("/projects/resend-deliveries", { resent: 0 });
  const endpoint = { kind: "auth", state: "ok" } as const;
  const listEndpoints = call("/projects/list-webhook-endpoints", { endpoints: [endpoint] });
  const enable = call("/projects/enable-webhook-endpoint", endpoint);
  const next = { "next_cursor?": "" } as const;

  /** Requests until all are queued: the service queues many a part at a time. */
  async function resendAll(request: Timed<ResendDeliveriesRequest>, options?: CallOptions) {
    let resent = 0;
    for (let asked = request; ; ) {
      const answer = await resend(asked, options);
      const { data } = answer;
      resent += data.resent;
      if (!data.next_cursor) return { ...answer, data: { ...data, resent } };
      asked = { ...request, cursor: data.next_cursor };
    }
  }

  const tokens: TokensApi = {
    create: (request, options) => createToken(connection, request, options),
    list: createList(
      call("/projects/list-access-tokens", { tokens: [{ jwt_id: "" }], ...next }),
      (page) => page.tokens,
    ),
    revoke: (request, options) => toMediaPromise(revoke(request, options)),
    check: (request, options) => toMediaPromise(checkToken(request, options)),
    revocations: createList(
      call("/projects/list-access-token-revocations", { revocations: [{ revoked_at: "" }], ...next }),
      (page) => page.revocations,
    ),
  };
  const deliveries: DeliveriesApi = {
    list: createList(
      call("/projects/list-deliveries", { deliveries: [{ delivery_id: "", attempts: [] }], ...next }),
      (page) => page.deliveries,
    ),
    resend: (request, options) => toMediaPromise(resendAll(request, options)),
  };
  const endpoints: EndpointsApi = {
    list: (request = {}, options) => toMediaPromise(listEndpoints(request, options)),
    enable: (kind, options) => toMediaPromise(enable(typeof kind === "string" ? { kind } : kind, options)),
  };
  const disconnect: Disconnect = (request, options) => {
    const operation = request?.connection_id === undefined ? "DisconnectChannel" : "DisconnectConnection";
    // The date is that of the media server's API.
    const headers = { ...options?.headers, "x-media-target": `Media_20151104.${operation}` };
    // By the time of a retry, a channel may have other clients.
    const answer = connection.post("/media-api", request, {}, { maxRetries: 0, ...options, headers });
    return toMediaPromise(answer.then(({ data, ...others }) => ({ ...others, data: isObject(data) ? data : {} })));
  };
  const audit: AuditApi = {
    list: createList(call("/projects/list-audit-log", { entries: [{ action: "" }], ...next }), (page) => page.entries),
  };
  return { tokens, deliveries, endpoints, disconnect, audit };
}
