import { inspect } from "node:util";
import { DatabaseError } from "@media-ops/database";
import { postgresUrl } from "@media-ops/testing";
import { expect } from "vitest";

/** A new PostgreSQL database, with a password in its URL even if the server requires none. */
export async function urlWithPassword(): Promise<string> {
  const url = new URL(await postgresUrl());
  url.password ||= "hunter2";
  return url.href;
}

/** Expects the same error for every request, without the URL's password in it. */
export async function expectUnavailable(asked: Promise<unknown>, url: string): Promise<void> {
  const error = await asked.then(
    (answer) => expect.fail(`It was answered: ${inspect(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DatabaseError);
  expect(error).toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^PostgreSQL cannot be used now: /),
  });
  expectNoPassword(error, url);
}

export function expectNoPassword(error: unknown, url: string): void {
  const { password } = new URL(url);
  expect(password).not.toBe("");
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    for (const text of [cause.message, cause.stack, JSON.stringify(cause), inspect(cause, { depth: 20 })]) {
      expect(text).not.toContain(password);
    }
    expect(inspect(cause, { depth: 20, showHidden: true })).not.toContain(password);
  }
}
