import { it } from "vitest";
import { runCrowd } from "./test/run-crowd.js";

it("a media server with a crowd and tokens for 3 never has more than 3 in a channel, and leaves no seat behind", async () => {
  await runCrowd(1.2, {});
});

it("the same holds though events are late, repeated and out of order, and it reports no counts", async () => {
  await runCrowd(1.2, {
    sessionEndsAfterMs: 150,
    reportsConnections: false,
    misbehaviour: { late: 0.2, twice: 0.2, outOfOrder: 0.2, lateMs: 300 },
  });
});
