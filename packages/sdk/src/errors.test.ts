import { contract, resolve } from "@media-ops/openapi/contract";
import { describe, expect, it } from "vitest";
import * as sdk from "./index.js";

const { createMediaClient, MediaApiError, MediaError } = sdk;

/** One row per error class; a class without a row fails the last test. */
const codes = {
  MediaApiError: "Api",
  MediaBadRequestError: "BadRequest",
  MediaUnauthorizedError: "Unauthorized",
  MediaForbiddenError: "Forbidden",
  MediaNotFoundError: "NotFound",
  MediaMethodNotAllowedError: "MethodNotAllowed",
  MediaConflictError: "Conflict",
  MediaPayloadTooLargeError: "PayloadTooLarge",
  MediaUnsupportedMediaTypeError: "UnsupportedMediaType",
  MediaTooManyRequestsError: "TooManyRequests",
  MediaServiceUnavailableError: "ServiceUnavailable",
  MediaConnectionError: "Connection",
  MediaTimeoutError: "Timeout",
  MediaResponseError: "Response",
  MediaUsageError: "Usage",
} as const satisfies Partial<Record<keyof typeof sdk, sdk.MediaErrorCode>>;

const classes = new Map(
  Object.entries(sdk).filter(([, value]) => Object.prototype.isPrototypeOf.call(MediaError, value)),
);

describe("each error class", () => {
  it.each(Object.entries(codes))("%s has the code %s, and its own name in the stack", (name, code) => {
    const ErrorClass = classes.get(name) as typeof sdk.MediaApiError;
    const error = new ErrorClass("what happened");
    expect(error).toBeInstanceOf(MediaError);
    expect(error).toMatchObject({ code, name, message: "what happened" });
    expect(error.stack).toMatch(new RegExp(`^${name}: what happened\n`));
  });

  it("is listed here", () => {
    expect([...classes.keys()].sort()).toEqual(Object.keys(codes).sort());
  });
});

describe("each failing status of the contract", () => {
  const responses = Object.entries(contract.paths?.["/orgs/list-api-logs"]?.post?.responses ?? {});
  const failing = responses.filter(([status]) => Number(status) >= 400);

  it.each(failing)("throws the class with the contract's name, for %s", async (status, reference) => {
    const [example] = Object.values(resolve(reference).content?.["application/problem+json"]?.examples ?? {});
    const problem = resolve(example ?? {}).value;
    const client = createMediaClient({
      baseUrl: "http://media.test",
      apiKey: "mo_k1_secret",
      maxRetries: 0,
      fetch: async () =>
        Response.json(problem, { status: Number(status), headers: { "x-request-id": "from-the-header" } }),
    });
    const error = await client.logs.api().catch((error: unknown) => error);
    const name = Object.entries(contract.components?.responses ?? {}).find(
      ([, value]) => value === resolve(reference),
    )?.[0];
    expect(error).toBeInstanceOf(MediaApiError);
    expect(error).toMatchObject({
      code: name,
      name: `Media${name}Error`,
      status: Number(status),
      problem,
      requestId: "from-the-header",
      message: `POST http://media.test/orgs/list-api-logs (try 1) answered ${status} (request id from-the-header): ${problem?.detail}`,
    });
  });
});

describe("any other failing status", () => {
  it.each([
    { status: 502, body: "<html>Bad gateway</html>", problem: { title: "HTTP 502", detail: "no reason given" } },
    { status: 418, body: "", problem: { title: "HTTP 418", detail: "no reason given" } },
    { status: 500, body: "null", problem: { title: "HTTP 500", detail: "no reason given" } },
    { status: 500, body: '"out of order"', problem: { title: "HTTP 500", detail: "no reason given" } },
    { status: 410, body: '{"detail":"taken"}', problem: { title: "HTTP 410", detail: "taken", status: 410 } },
    { status: 302, body: "", problem: { title: "HTTP 302" } },
  ])(
    "throws MediaApiError with a problem that is derived from the response: $status $body",
    async ({ status, body, problem }) => {
      const client = createMediaClient({
        baseUrl: "http://media.test",
        apiKey: "mo_k1_secret",
        maxRetries: 0,
        fetch: async () => new Response(body, { status }),
      });
      const error = await client.tokens.create().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(MediaApiError);
      expect(error).toMatchObject({ code: "Api", status, problem, requestId: undefined, retryAfterMs: undefined });
    },
  );
});
