import { describe, expect, it } from "vitest";
import * as tokens from "./index.js";

/** One row per error class; a class without a row fails the last test. */
const errors = {
  TokenRequestError: new tokens.TokenRequestError([{ pointer: "/role", detail: "Must be a role." }]),
  TokenInvalidError: new tokens.TokenInvalidError("expired", "what happened"),
  TokenUsageError: new tokens.TokenUsageError("what happened"),
};

const codes: [keyof typeof errors, tokens.TokenErrorCode, string][] = [
  ["TokenRequestError", "bad-request", "There is 1 fault in the token request. /role: Must be a role."],
  ["TokenInvalidError", "expired", "what happened"],
  ["TokenUsageError", "usage", "what happened"],
];

describe("each error class", () => {
  it.each(codes)("%s has the code %s, and its own name in the stack", (name, code, message) => {
    expect(errors[name]).toBeInstanceOf(tokens.TokenError);
    expect(errors[name]).toMatchObject({ code, name, message });
    expect(errors[name].stack).toMatch(new RegExp(`^${name}: ${message}\n`));
  });

  it("is listed here", () => {
    const classes = Object.entries(tokens).filter(([, value]) =>
      Object.prototype.isPrototypeOf.call(tokens.TokenError, value),
    );
    expect(classes.map(([name]) => name).sort()).toEqual(Object.keys(errors).sort());
  });
});

describe("a TokenRequestError", () => {
  it("lists all faults in its message", () => {
    const { message } = new tokens.TokenRequestError([
      { pointer: "/role", detail: "Must be a role." },
      { pointer: "", detail: "Must be an object." },
    ]);
    expect(message).toBe("There are 2 faults in the token request. /role: Must be a role. Must be an object.");
  });
});
