import { expect, it } from "vitest";
import { pathOf, startTestService } from "./test/harness.js";

it("overload refuses calls with 503 until the service keeps up again", async () => {
  const { service, call } = await startTestService({ env: { MEDIA_MAX_LAG_MS: "50" } });
  const untilStatus = async (status: number, disturb: () => void): Promise<void> => {
    await expect
      .poll(
        async () => {
          disturb();
          return (await call(pathOf.createAccessToken)).status;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(status);
  };
  // Blocks the event loop.
  const block = (): void => {
    const end = Date.now() + 200;
    while (Date.now() < end);
  };
  await untilStatus(503, block);
  const { headers, body } = await call(pathOf.createAccessToken);
  if (headers.has("retry-after")) expect(body).toMatchObject({ detail: expect.stringContaining("overloaded") });
  await untilStatus(200, () => {});
  // Health checks are answered all the time.
  expect((await fetch(`${service.internalUrl}/healthz`)).status).toBe(200);
});
