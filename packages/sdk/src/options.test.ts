import { contract, resolve } from "@media-ops/openapi/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as sdk from "./index.js";
import {
  createMediaClient,
  MediaApiError,
  type MediaClientOptions,
  MediaConnectionError,
  MediaError,
  MediaUsageError,
} from "./index.js";
import { createFakeMediaService } from "./testing/index.js";

const apiKey = "mo_k1_secret";

afterEach(() => void vi.unstubAllGlobals());

describe("without a URL or a key,", () => {
  const sent = async (options?: MediaClientOptions): Promise<[string, string | null]> => {
    const calls: [string, string | null][] = [];
    vi.stubGlobal("fetch", async (url: string, { headers }: { headers: Headers }) => {
      calls.push([url, headers.get("authorization")]);
      return Response.json([]);
    });
    await createMediaClient(options).logs.api();
    return calls[0] ?? expect.fail("nothing was sent");
  };
  afterEach(() => vi.unstubAllEnvs());

  it("a client uses those of the environment", async () => {
    vi.stubEnv("MEDIA_BASE_URL", "http://env.test");
    vi.stubEnv("MEDIA_API_KEY", "mo_env_secret");
    const path = "/orgs/list-api-logs";
    expect(await sent()).toEqual([`http://env.test${path}`, "Bearer mo_env_secret"]);
    expect(await sent({ apiKey })).toEqual([`http://env.test${path}`, `Bearer ${apiKey}`]);
    expect(await sent({ baseUrl: "http://own.test" })).toEqual([`http://own.test${path}`, "Bearer mo_env_secret"]);
  });

  it("an empty option does not fall back to the environment", () => {
    vi.stubEnv("MEDIA_BASE_URL", "http://env.test");
    vi.stubEnv("MEDIA_API_KEY", "mo_env_secret");
    expect(() => createMediaClient({ apiKey: "" })).toThrow(MediaUsageError);
    expect(() => createMediaClient({ baseUrl: "" })).toThrow(MediaUsageError);
  });

  it.each([
    ["apiKey must be given, or the environment variable MEDIA_API_KEY.", { baseUrl: "http://media.test" }],
    ["baseUrl must be given, or the environment variable MEDIA_BASE_URL.", { apiKey }],
  ])("%s", (message, options) => {
    vi.stubEnv("MEDIA_BASE_URL", "");
    vi.stubEnv("MEDIA_API_KEY", undefined);
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
    vi.stubGlobal("process", undefined);
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
    vi.stubGlobal("process", {
      get env() {
        throw new Error("Requires env access");
      },
    });
    expect(() => createMediaClient(options)).toThrow(new MediaUsageError(message));
  });
});

describe("the name of a program", () => {
  it("is in the URL of its calls, and following has its own", async () => {
    const service = createFakeMediaService();
    const from = async (name?: string) => {
      const { logs, tokens } = createMediaClient({ ...service.clientOptions, from: name });
      service.add("api", {});
      await Promise.all([logs.api(), logs.count("api"), tokens.create(), logs.follow("api", { backlog: 1 }).next()]);
      return service.calls.slice(-4).map((call) => call.from);
    };
    expect(await from()).toEqual([undefined, undefined, undefined, "follow"]);
    expect(await from("bot")).toEqual(["bot", "bot", "bot", "bot-follow"]);
  });
});

describe("invalid input is refused at once", () => {
  // Untyped, as in a JavaScript program.
  const make = (options: object) => () => createMediaClient({ baseUrl: "http://media.test", apiKey, ...options });

  it.each(["", "a b", "a&b", "ключ", "x".repeat(33)])("the name %j of the program", (from) => {
    expect(make({ from })).toThrow(`from must be a word of up to 32 letters, digits and hyphens, not "${from}".`);
  });

  it.each(["", "a b", "line\nbreak", "ключ", 7])("the API key %j", (key) => {
    expect(make({ apiKey: key })).toThrow(MediaUsageError);
    expect(make({ apiKey: key })).toThrow("apiKey must be given, without spaces or line breaks.");
  });

  it.each([
    "",
    "media.test",
    "ftp://media.test",
    "http://user:pass@media.test",
    "http://media.test?a=1",
    "http://media.test#a",
  ])("the URL %j", (baseUrl) => {
    expect(make({ baseUrl })).toThrow(MediaUsageError);
    expect(make({ baseUrl })).toThrow("baseUrl must be like https://media.example");
  });

  it.each([
    [{ timeoutMs: 0 }, "timeoutMs must be above 0, not 0."],
    [{ timeoutMs: Number.NaN }, "timeoutMs must be above 0, not NaN."],
    [{ maxResponseBytes: 0 }, "maxResponseBytes must be above 0, not 0."],
    [{ maxRetries: -1 }, "maxRetries must be a count, not -1."],
    [{ maxRetries: 1.5 }, "maxRetries must be a count, not 1.5."],
  ])("the limit %j", async (options, message) => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    await expect(client.logs.api({}, options)).rejects.toThrow(new MediaUsageError(message));
    await expect(createMediaClient({ ...service.clientOptions, ...options }).logs.api()).rejects.toThrow(message);
    expect(service.calls).toHaveLength(0);
  });

  // Untyped, as in a JavaScript program.
  const call = (method: (...args: never[]) => unknown, ...args: unknown[]): unknown =>
    Reflect.apply(method, undefined, args);

  it.each(["webhook", "", "toString", undefined, 7])("an unknown kind of log: %j", async (kind) => {
    const service = createFakeMediaService();
    const { logs } = createMediaClient(service.clientOptions);
    const refusal = new MediaUsageError(
      `Unknown kind of log "${kind}". Use one of: sessions, connections, api, media-api, webhooks, events.`,
    );
    await expect(call(logs.list, kind)).rejects.toThrow(refusal);
    expect(() => call(logs.follow, kind)).toThrow(refusal);
    expect(() => call(service.add, kind, {})).toThrow(refusal);
    expect(service.calls).toHaveLength(0);
  });

  it.each([
    [{ intervalMs: "5s" }, "intervalMs must be 0 or more, not 5s."],
    [{ intervalMs: -1 }, "intervalMs must be 0 or more, not -1."],
    [{ backlog: "all" }, "backlog must be a count, not all."],
    [{ backlog: -1 }, "backlog must be a count, not -1."],
  ])("following with %j", (options, message) => {
    const { logs } = createMediaClient(createFakeMediaService().clientOptions);
    expect(() => call(logs.follow, "webhooks", options)).toThrow(new MediaUsageError(message));
  });

  it("an invalid header", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient(service.clientOptions);
    const error = await client.logs.api({}, { headers: { "x-team": "line\nbreak" } }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(MediaConnectionError);
    expect(service.calls).toHaveLength(0);
  });

  it.each([
    ["a page", { document: {} }],
    ["a worker of a page", { importScripts() {} }],
  ])("a key in %s of a browser", (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(make({})).toThrow(MediaUsageError);
    expect(make({})).toThrow(
      "In a browser every visitor can read the apiKey. Call from a server, or set dangerouslyAllowBrowser.",
    );
    expect(make({ dangerouslyAllowBrowser: true })).not.toThrow();
  });

  it("but an infinite timeout is valid", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient({ ...service.clientOptions, timeoutMs: Number.POSITIVE_INFINITY });
    await expect(client.logs.api()).resolves.toEqual([]);
  });
});

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
