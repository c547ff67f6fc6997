// Types that users rely on. The compiler checks most of them; running the tests only checks that the exports exist at
// run time.
import type { logPaths } from "@media-ops/contract";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type AccessToken,
  type ConnectionLogEntry,
  createMediaClient,
  type Followed,
  type IssuedToken,
  type IssuedTokens,
  type ListLogs,
  type LogEntryOf,
  type LogKind,
  type LogPage,
  type LogsApi,
  type MediaApiErrorCode,
  MediaError,
  type MediaErrorCode,
  type MediaPromise,
  MediaTooManyRequestsError,
  type Problem,
  type SessionLogEntry,
  type WebhookLogEntry,
} from "./index.js";
import { createFakeMediaService } from "./testing/index.js";

/** The method name for a name with hyphens: `mediaApi` of `media-api`. */
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

const client = createMediaClient(createFakeMediaService().clientOptions);

describe("the types", () => {
  it("have the entries of each listing, by method and by name", () => {
    expectTypeOf(client.logs.sessions).returns.toEqualTypeOf<MediaPromise<SessionLogEntry[], LogPage<"sessions">>>();
    expectTypeOf(client.logs.connections).returns.resolves.toEqualTypeOf<ConnectionLogEntry[]>();
    expectTypeOf<LogEntryOf<"webhooks">>().toEqualTypeOf<WebhookLogEntry>();
    const byName = () => client.logs.list("webhooks");
    expectTypeOf(byName).returns.resolves.toEqualTypeOf<WebhookLogEntry[]>();
    const following = () => client.logs.follow("webhooks");
    expectTypeOf(following).returns.toEqualTypeOf<AsyncGenerator<Followed<"webhooks">, void, undefined>>();
    expectTypeOf<LogKind>().toEqualTypeOf<"sessions" | "connections" | "api" | "media-api" | "webhooks" | "events">();
  });

  it("have a method for every log", () => {
    expectTypeOf<LogKind>().toEqualTypeOf<keyof typeof logPaths>();
    expectTypeOf<LogsApi>().toExtend<{ [Kind in LogKind as Camel<Kind>]: ListLogs<Kind> }>();
  });

  it("check each call of the raw client by the contract", () => {
    const { raw } = client;
    const listing = () => raw.POST("/orgs/list-api-logs", { body: { limit: 10 } });
    expectTypeOf(listing).returns.resolves.toHaveProperty("data");
    // @ts-expect-error a path that does not exist
    expectTypeOf(() => raw.POST("/orgs/list-logs", { body: {} })).toBeFunction();
    // @ts-expect-error a text instead of a number
    expectTypeOf(() => raw.POST("/orgs/list-api-logs", { body: { limit: "10" } })).toBeFunction();
  });

  it("keep timestamps as text", () => {
    expectTypeOf<SessionLogEntry["timestamp" | "created_timestamp" | "destroyed_timestamp"]>().toEqualTypeOf<string>();
    expectTypeOf<SessionLogEntry["total_connections" | "max_connections" | "duration_min"]>().toEqualTypeOf<number>();
  });

  it("have the options of a token, all of them optional", () => {
    expectTypeOf(client.tokens.create).returns.resolves.toEqualTypeOf<AccessToken>();
    expectTypeOf(client.tokens.create).toBeCallableWith();
    expectTypeOf(client.tokens.create).toBeCallableWith({ role: "recvonly", channel_id: undefined });
    // @ts-expect-error a role that does not exist
    expectTypeOf(client.tokens.create).toBeCallableWith({ role: "admin" });
    // @ts-expect-error a misspelt option
    expectTypeOf(client.tokens.create).toBeCallableWith({ expiration_tme: "2026-04-01T03:10:00Z" });
    // @ts-expect-error a number instead of an RFC 3339 time
    expectTypeOf(client.tokens.create).toBeCallableWith({ not_before: 1775035815 });
  });

  it("have the pages of each list, its items, and times that may be a Date", () => {
    const { tokens, deliveries, endpoints, audit } = client;
    expectTypeOf(tokens.list).returns.toEqualTypeOf<MediaPromise<IssuedTokens>>();
    expectTypeOf(tokens.list.all).returns.toEqualTypeOf<AsyncGenerator<IssuedToken, void, undefined>>();
    expectTypeOf(deliveries.list).toBeCallableWith({ since: new Date(), until: "2026-04-01T09:00:00Z" });
    expectTypeOf(tokens.revoke).toBeCallableWith({ channel_id: "lobby@demo", issued_before: new Date() });
    expectTypeOf(endpoints.enable).toBeCallableWith("event");
    // @ts-expect-error a kind that does not exist
    expectTypeOf(endpoints.enable).toBeCallableWith("events");
    // @ts-expect-error a number instead of a time
    expectTypeOf(audit.list).toBeCallableWith({ since: 1775035815 });
    // @ts-expect-error no token
    expectTypeOf(tokens.check).toBeCallableWith({ channel_id: "lobby@demo" });
  });

  it("narrow an error by its code and by its class", () => {
    const error: unknown = new MediaTooManyRequestsError("slow down", { status: 429 });
    if (!(error instanceof MediaError)) return expect.fail();
    expectTypeOf(error.code).toEqualTypeOf<MediaErrorCode>();
    if (error instanceof MediaTooManyRequestsError) {
      expectTypeOf(error.code).toEqualTypeOf<"TooManyRequests">();
      expectTypeOf(error.problem).toEqualTypeOf<Problem>();
      expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
    }
    // One line per code: a missing or misspelt one does not compile.
    const advice = (code: MediaApiErrorCode): string => {
      switch (code) {
        case "BadRequest":
        case "NotFound":
        case "MethodNotAllowed":
        case "Conflict":
        case "PayloadTooLarge":
        case "UnsupportedMediaType":
          return "mend the call";
        case "Unauthorized":
        case "Forbidden":
          return "mend the key";
        case "TooManyRequests":
        case "ServiceUnavailable":
          return "wait";
        case "Api":
          return "ask";
      }
    };
    expect(advice("Forbidden")).toBe("mend the key");
  });
});
