// Types that users rely on. The compiler judges most of it; running it only shows that nothing is missing at run time.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type AccessToken,
  type ConnectionLogEntry,
  createMediaClient,
  type Followed,
  type LogEntryOf,
  type LogKind,
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

const client = createMediaClient(createFakeMediaService().clientOptions);

describe("the types", () => {
  it("say what each listing holds, by method and by name", () => {
    expectTypeOf(client.logs.sessions).returns.toEqualTypeOf<MediaPromise<SessionLogEntry[]>>();
    expectTypeOf(client.logs.connections).returns.resolves.toEqualTypeOf<ConnectionLogEntry[]>();
    expectTypeOf<LogEntryOf<"webhooks">>().toEqualTypeOf<WebhookLogEntry>();
    const byName = () => client.logs.list("webhooks");
    expectTypeOf(byName).returns.resolves.toEqualTypeOf<WebhookLogEntry[]>();
    const following = () => client.logs.follow("webhooks");
    expectTypeOf(following).returns.toEqualTypeOf<AsyncGenerator<Followed<"webhooks">, void, undefined>>();
    expectTypeOf<LogKind>().toEqualTypeOf<"sessions" | "connections" | "api" | "media-api" | "webhooks">();
  });

  it("keep timestamps as text", () => {
    expectTypeOf<SessionLogEntry["timestamp" | "created_timestamp" | "destroyed_timestamp"]>().toEqualTypeOf<string>();
    expectTypeOf<SessionLogEntry["total_connections" | "max_connections" | "duration_min"]>().toEqualTypeOf<number>();
  });

  it("know the options of a token, and that all are optional", () => {
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

  it("narrow an error by its code and by its class", () => {
    const error: unknown = new MediaTooManyRequestsError("slow down", { status: 429 });
    if (!(error instanceof MediaError)) return expect.fail();
    expectTypeOf(error.code).toEqualTypeOf<MediaErrorCode>();
    if (error instanceof MediaTooManyRequestsError) {
      expectTypeOf(error.code).toEqualTypeOf<"TooManyRequests">();
      expectTypeOf(error.problem).toEqualTypeOf<Problem>();
      expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
    }
    // Each code has its line: one that is missing or misspelt does not compile.
    const advice = (code: MediaApiErrorCode): string => {
      switch (code) {
        case "BadRequest":
        case "NotFound":
        case "MethodNotAllowed":
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
