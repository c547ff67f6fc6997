import { expect, it } from "vitest";
import * as tokens from "./index.js";

const { TokenError, TokenInvalidError, TokenRequestError, TokenUsageError } = tokens;
const fault = { pointer: "/role", detail: "Must be a role." };
const errors = {
  TokenInvalidError: new TokenInvalidError("expired", "what happened"),
  TokenRequestError: new TokenRequestError([fault]),
  TokenUsageError: new TokenUsageError("what happened"),
};

it.each<[keyof typeof errors, tokens.TokenErrorCode, string]>([
  ["TokenRequestError", "bad-request", "There is 1 fault in the token request. /role: Must be a role."],
  ["TokenInvalidError", "expired", "what happened"],
  ["TokenUsageError", "usage", "what happened"],
])("a %s has the code %s, and its own name in the stack", (name, code, message) => {
  expect(errors[name]).toBeInstanceOf(TokenError);
  expect(errors[name]).toMatchObject({ code, name, message });
  expect(errors[name].stack).toMatch(new RegExp(`^${name}: ${message}\n`));
});

it("there are no other error classes", () => {
  const isError = (value: unknown): boolean => Object.prototype.isPrototypeOf.call(TokenError, Object(value));
  const classes = Object.entries(tokens).filter(([, value]) => isError(value));
  expect(classes.map(([name]) => name).sort()).toEqual(Object.keys(errors));
});

it("a TokenRequestError lists all faults in its message", () => {
  const { message } = new TokenRequestError([fault, { pointer: "", detail: "Must be an object." }]);
  expect(message).toBe("There are 2 faults in the token request. /role: Must be a role. Must be an object.");
});
