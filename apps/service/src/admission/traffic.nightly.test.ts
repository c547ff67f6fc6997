import type { FakeMediaOptions } from "@media-ops/fake-media";
import { it } from "vitest";
import { runCrowd } from "./test/run-crowd.js";

it.each<[string, Partial<FakeMediaOptions>]>([
  ["reports counts", {}],
  ["reports no counts", { reportsConnections: false }],
  ["ends sessions later than their last connection", { sessionEndsAfterMs: 150 }],
  ["ends sessions later, and reports no counts", { sessionEndsAfterMs: 150, reportsConnections: false }],
  [
    "sends events late, twice and out of order",
    { misbehaviour: { late: 0.2, twice: 0.2, outOfOrder: 0.2, lateMs: 400 } },
  ],
])("never admits more than 3 clients with tokens for 3, under load from a media server that %s", async (_, options) => {
  await runCrowd(3, options);
});
