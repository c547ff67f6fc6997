import {
  MediaApiError,
  MediaBadRequestError,
  MediaConflictError,
  MediaConnectionError,
  MediaForbiddenError,
  MediaMethodNotAllowedError,
  MediaNotFoundError,
  MediaPayloadTooLargeError,
  MediaResponseError,
  MediaServiceUnavailableError,
  MediaTimeoutError,
  MediaTooManyRequestsError,
  MediaUnauthorizedError,
  MediaUnsupportedMediaTypeError,
  MediaUsageError,
} from "@media-ops/sdk";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { problemOf } from "./problem.js";

const message = "What the SDK says about it.";
const detail = "What the service says about it.";
const [CHECK_PROXIES, TRY_AGAIN] = [
  "Check the proxies between here and the service.",
  "Try again. If it persists, contact the service's operator.",
];
const details = { status: 500, problem: { detail }, requestId: "req-1" };

describe("an operation that not every service has", () => {
  it.each([MediaNotFoundError, MediaMethodNotAllowedError])("is named if a service does not have it (%o)", (of) => {
    expect(problemOf(new of(message, details), { part: "event log" })).toMatchObject({
      what: "This service has no event log",
      next: "Ask the service's operator for a version that has one.",
    });
    const next = { NotFound: "Use another.", MethodNotAllowed: "Use another." };
    expect(problemOf(new of(message, details), { part: "event log", next })).toMatchObject({ next: "Use another." });
  });

  it("is not named for another failure", () => {
    expect(problemOf(new MediaForbiddenError(message, details), { part: "event log" })).toMatchObject({
      what: "This belongs to another project",
    });
  });
});

describe("a failure is explained, with the next step:", () => {
  it.each([
    [MediaBadRequestError, "The service did not understand the request", "Correct it, and try again."],
    [MediaUnauthorizedError, "The API key was refused", "Use a valid key, or create a new one."],
    [MediaForbiddenError, "This belongs to another project", "Name the key's own project, or use that project's key."],
    [MediaNotFoundError, "There is no media service at this address", "Check the address of the service."],
    [MediaMethodNotAllowedError, "There is a different service at this address", "Check the address of the service."],
    [MediaConflictError, "An earlier revocation rules this out", "Follow the service's explanation."],
    [MediaPayloadTooLargeError, "The request was too large", "Ask for less at once."],
    [MediaUnsupportedMediaTypeError, "The service did not accept the request as JSON", CHECK_PROXIES],
    [MediaTooManyRequestsError, "Too many requests with this API key", "Wait a moment, then try again."],
    [MediaServiceUnavailableError, "The service is overloaded or shutting down", "Try again in a minute."],
    [MediaApiError, "The service failed (status 500)", TRY_AGAIN],
  ])("%o", (of, what, next) => {
    expect(problemOf(new of(message, details))).toEqual({ what, why: detail, next, requestId: "req-1" });
  });

  it.each([
    [MediaConnectionError, "The service was not reached", "Check that it runs, and that its address is right."],
    [MediaTimeoutError, "The service took too long to answer", TRY_AGAIN],
    [
      MediaResponseError,
      "The answer did not come from a media service",
      "Check the address, and the proxies before it.",
    ],
    [MediaUsageError, "The request is invalid", "Correct what the message names."],
  ])("%o", (of, what, next) => {
    expect(problemOf(new of(message))).toEqual({ what, why: message, next });
  });
});

describe("the next step", () => {
  it.each([
    [2000, "Try again in 2 s."],
    [90_000, "Try again in 1 min 30 s."],
    [0, "Wait a moment, then try again."],
    [undefined, "Wait a moment, then try again."],
  ])("is to wait for the time that the service requests: %s ms", (retryAfterMs, next) => {
    expect(problemOf(new MediaTooManyRequestsError(message, { ...details, retryAfterMs })).next).toBe(next);
  });

  it("can be overridden by the program", () => {
    const next = { Unauthorized: "Run `media login`.", Unknown: "Ask Kim." };
    expect(problemOf(new MediaUnauthorizedError(message), { next }).next).toBe("Run `media login`.");
    expect(problemOf(new Error(message), { next }).next).toBe("Ask Kim.");
    expect(problemOf(new MediaNotFoundError(message), { next }).next).toBe("Check the address of the service.");
  });
});

describe("the reason", () => {
  it("lists every fault that the service found, with its position", () => {
    const errors = [
      { pointer: "#/max_channel_connections", detail: "It is more than 5000." },
      { pointer: "/role", detail: "It is none of the three." },
      { pointer: "", detail: "It is no object." },
      { detail: "Without a place." },
      { pointer: "#/nothing" },
      null,
    ];
    expect(problemOf(new MediaBadRequestError(message, { problem: { detail, errors } })).why).toBe(
      "max_channel_connections: It is more than 5000. role: It is none of the three. It is no object. Without a place.",
    );
  });

  it.each([undefined, null, {}, { detail: 7 }, "text", { errors: [] }, { errors: "text" }])(
    "falls back to the remaining members if the problem is %j",
    (problem) => {
      expect([message, ""]).toContain(problemOf(new MediaForbiddenError(message, { problem })).why);
    },
  );

  it("is on one line and limited in length", () => {
    const why = problemOf(new MediaApiError(message, { problem: { detail: `<html>\n${"x".repeat(5000)}` } })).why;
    expect(why).toMatch(/^<html>␊x+…x+$/);
    expect(why).toHaveLength(600);
  });
});

describe("of an error that is not from the SDK", () => {
  const unknown = {
    what: "Something went wrong here",
    why: "",
    next: "Try again. If it persists, contact the operator.",
  };

  it.each([
    ["an error", new Error("mo_key_secret")],
    ["an error with a code", Object.assign(new Error("mo_key_secret"), { code: "ECONNREFUSED" })],
    ["an object that only has the code", Object.assign(new Error("mo_key_secret"), { code: "Unauthorized" })],
    [
      "an error with the code Unknown",
      Object.assign(new Error("secret"), { code: "Unknown", name: "MediaUnknownError" }),
    ],
    [
      "an error with the code of an inherited member",
      Object.assign(new Error("secret"), { code: "toString", name: "MediatoStringError" }),
    ],
    ["a text", "mo_key_secret"],
    ["an imitation of an SDK error", { name: "MediaForbiddenError", code: "Forbidden", message: "mo_key_secret" }],
    ["nothing", undefined],
  ])("nothing is shown: %s", (_, error) => {
    expect(problemOf(error)).toEqual(unknown);
  });

  it("nothing is shown, for any thrown value", () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(problemOf(thrown)).toEqual(unknown);
      }),
    );
  });
});

it("errors of another copy of the SDK are recognized by their code", () => {
  const error = Object.assign(new Error(message), { name: "MediaTimeoutError", code: "Timeout" });
  expect(problemOf(error).what).toBe("The service took too long to answer");
});

it("omits details for logs on request, but keeps the service's explanation", () => {
  expect(problemOf(new MediaConnectionError(message), { isBrief: true }).why).toBe("");
  expect(problemOf(new MediaConnectionError(message)).why).toBe(message);
  expect(problemOf(new MediaBadRequestError(message, details), { isBrief: true }).why).toBe(detail);
});
