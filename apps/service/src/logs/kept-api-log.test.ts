import type { ApiLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { expect, it } from "vitest";
import { openStorage } from "../storage/open-storage.js";
import { listings, pathOf, startTestService, type TestService } from "../test/harness.js";
import { whileNobodyWrites } from "../test/while-nobody-writes.js";

const apiLog = async ({ call }: TestService): Promise<ApiLogEntry[]> =>
  (await call(pathOf.listApiLogs)).body as ApiLogEntry[];

it("a stop loses no entry of a call that was answered", async () => {
  const url = await databaseUrl();
  const service = await startTestService({ env: { MEDIA_DATABASE_URL: url, MEDIA_LISTINGS_PER_MINUTE: "0" } });
  await Promise.all(Array.from({ length: 60 }, () => service.call(pathOf.listSessionLogs)));
  await service.service.stop();
  const storage = await openStorage(url);
  const { count } = await storage.query
    .selectFrom("log_entry")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  await storage.close();
  expect(count).toBe(60);
});

it("the API log may be listed while it cannot be written, and calls continue", async () => {
  const url = await databaseUrl();
  const service = await startTestService({ env: { MEDIA_DATABASE_URL: url } });
  await service.call(pathOf.createAccessToken);
  expect(await apiLog(service)).toHaveLength(1);
  await whileNobodyWrites(url, async () => {
    expect((await service.call(pathOf.createAccessToken)).status).toBe(200);
    expect((await apiLog(service)).length).toBeGreaterThan(0);
    for (const [, path] of listings) expect((await service.call(path)).status).toBe(200);
  });
  await expect.poll(async () => (await apiLog(service)).length).toBeGreaterThan(7);
});
