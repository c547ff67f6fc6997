import { inspect } from "node:util";
import { DatabaseError } from "@media-ops/database";
import { expect, it } from "vitest";
import { openNotes } from "./test/notes.js";

it.each([
  ["mysql://localhost/notes", "url", /Invalid database URL: must be sqlite:/],
  ["notes.db", "url", /Invalid database URL/],
  ["sqlite:", "url", /the path of a file/],
  ["sqlite://host/notes.db", "url", /the path of a file/],
  ["postgres://user:hunter2@127.0.0.1:1/notes", "open", /ECONNREFUSED.*Does it run there/],
  ["postgres://user:hunter2@127.0.0.1:1x/notes", "url", /must be like postgres:/],
  ["postgres://user:hunter2@127.0.0.1/notes?connections=1", "url", /from 2 to 1000/],
  ["postgres://user:hunter2@127.0.0.1/notes?connections=many", "url", /from 2 to 1000/],
  ["postgres://user:hunter2@no-such-host.invalid/notes", "open", /ENOTFOUND|EAI_AGAIN/],
  ["postgres://user:hunter2@127.0.0.1/notes?sslmode=verify-full&sslrootcert=/nowhere/hunter2", "", /./],
])("%s is refused with a reason that holds no password", async (url, code, message) => {
  const error = await openNotes(url).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(DatabaseError);
  expect(error).toMatchObject({ code: expect.stringContaining(code), message: expect.stringMatching(message) });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("hunter2");
});
