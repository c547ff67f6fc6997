import { postgresUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { listings } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";
import { startIntake } from "../test/receiver.js";

it("a service whose PostgreSQL was emptied refuses what it cannot store, says why, and continues once its tables are back", async () => {
  const intake = await startIntake({
    env: { MEDIA_DATABASE_URL: await postgresUrl(), MEDIA_LISTINGS_PER_MINUTE: "0" },
  });
  const { query } = intake.service.storage;
  const sendEvent = () => intake.send("event", connectionDestroyed(connectionOf()));
  const readiness = async () => {
    const response = await fetch(`${intake.service.internalUrl}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  expect((await sendEvent()).status).toBe(200);
  await sql`alter schema public rename to away`.execute(query);
  const answers = await Promise.all([sendEvent(), sendEvent(), ...listings.map(([, path]) => intake.call(path))]);
  for (const { status, headers } of answers) {
    expect({ status, retryAfter: Number(headers.get("retry-after")) > 0 }).toEqual({ status: 503, retryAfter: true });
  }
  expect(await readiness()).toEqual({
    status: 503,
    body: expect.objectContaining({
      detail: expect.stringMatching(/^Not ready: The database in PostgreSQL no longer holds .* Restore a dump/),
    }),
  });
  expect(intake.logged()).not.toContain("a call failed");
  await sql`alter schema away rename to public`.execute(query);
  await expect.poll(async () => (await readiness()).status).toBe(200);
  expect((await sendEvent()).status).toBe(200);
});
