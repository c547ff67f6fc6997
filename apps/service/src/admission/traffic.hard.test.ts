import { it } from "vitest";
import { runCrowd } from "./test/run-crowd.js";

it("never admits more than 3 clients with tokens for 3 under load, and leaves no seat behind", async () => {
  await runCrowd(1.2, {});
});

it("does so even if events are late, repeated and out of order, and the media server reports no counts", async () => {
  await runCrowd(1.2, {
    sessionEndsAfterMs: 150,
    reportsConnections: false,
    misbehaviour: { late: 0.2, twice: 0.2, outOfOrder: 0.2, lateMs: 300 },
  });
});
