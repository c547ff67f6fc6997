import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it } from "vitest";
import { openDoor } from "../test/intake-harness.js";
import { connectionCreated, connectionOf, connectionUpdated, sessionCreated } from "../test/media-events.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("when the clock is wrong for a while", () => {
  it("a seat granted by a clock an hour ahead is free again as soon as the clock is right", async () => {
    const { isLetIn, setAhead } = await openDoor();
    setAhead(HOUR);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    setAhead(0);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    expect(await isLetIn({ reported: 0 })).toBe(false);
  });

  it("a seat granted by a clock that is slightly ahead is kept", async () => {
    const { isLetIn, setAhead } = await openDoor();
    setAhead(20_000);
    expect(await isLetIn({ reported: 0 })).toBe(true);
    setAhead(0);
    expect(await isLetIn({ reported: 0 })).toBe(false);
  });

  it.each([61 * MINUTE, 24 * HOUR, -24 * HOUR])(
    "a connection keeps its seat when the clock jumps by %i ms",
    async (by) => {
      const { isLetIn, tell, passTo, setAhead } = await openDoor();
      const connection = connectionOf();
      await tell(sessionCreated(connection), connectionCreated(connection));
      passTo(10 * MINUTE);
      expect(await isLetIn()).toBe(false);
      setAhead(by);
      expect(await isLetIn()).toBe(false);
      // Its next report renews the seat by the new time.
      passTo(11 * MINUTE);
      await tell(connectionUpdated(connection));
      passTo(14 * MINUTE);
      expect(await isLetIn()).toBe(false);
      setAhead(0);
      expect(await isLetIn()).toBe(false);
      passTo(15 * MINUTE);
      await tell(connectionUpdated(connection));
      passTo(18 * MINUTE);
      expect(await isLetIn()).toBe(false);
      passTo(15 * MINUTE + HOUR);
      expect(await isLetIn()).toBe(true);
    },
  );

  it("a connection that is not reported after the jump loses its seat", async () => {
    const { isLetIn, tell, passTo, setAhead } = await openDoor();
    setAhead(24 * HOUR);
    await tell(connectionCreated(connectionOf()));
    passTo(10 * MINUTE);
    expect(await isLetIn()).toBe(false);
    setAhead(0);
    expect(await isLetIn()).toBe(false);
    passTo(13 * MINUTE);
    expect(await isLetIn()).toBe(true);
  });

  it("a connection keeps its seat after the service was down for more than an hour", async () => {
    const env = { MEDIA_DATABASE_URL: await databaseUrl() };
    const before = await openDoor({ env });
    const connection = connectionOf();
    await before.tell(connectionCreated(connection));
    await before.service.stop();
    const after = await openDoor({ env });
    after.setAhead(61 * MINUTE);
    expect(await after.isLetIn()).toBe(false);
    after.passTo(MINUTE);
    await after.tell(connectionUpdated(connection));
    after.passTo(4 * MINUTE);
    expect(await after.isLetIn()).toBe(false);
  });
});
