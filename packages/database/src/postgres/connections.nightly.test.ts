import { postgresUrl } from "@media-ops/testing";
import { startPostgresProxy } from "@media-ops/testing/postgres-proxy";
import { expect, it } from "vitest";
import { openNotes, refusal, textsOf } from "../test/notes.js";
import { expectNoPassword, expectUnavailable, urlWithPassword } from "../test/postgres-fault.js";

it("a request for a connection times out if the server is silent or the pool is exhausted", async () => {
  const url = await urlWithPassword();
  const proxy = await startPostgresProxy(url);
  proxy.silence(true);
  const opening = openNotes(proxy.url).catch((thrown) => thrown);

  const database = await openNotes(`${await postgresUrl()}?connections=2`);
  let end = (): void => {};
  const held = new Promise<void>((resolve) => {
    end = resolve;
  });
  const holding = [1, 2].map(() => database.query.transaction().execute(() => held));
  await expectUnavailable(textsOf(database), url);
  end();
  await Promise.all(holding);
  expect(await textsOf(database)).toEqual([]);

  const error = await opening;
  expect(error).toMatchObject(refusal("open", /timeout.*Does it run there/));
  expectNoPassword(error, url);
});
