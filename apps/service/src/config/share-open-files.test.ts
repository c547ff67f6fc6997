import { ConfigError } from "@media-ops/settings";
import { describe, expect, it } from "vitest";
import { shareOpenFiles } from "./config.js";

const unset = { maxConnections: undefined, maxConnectionsPerAddress: undefined };

describe("the files that the service may have open", () => {
  it.each([
    [512, { publicConnections: 192, publicPerAddress: 96, internalConnections: 48, deliveries: 48 }],
    [1024, { publicConnections: 448, publicPerAddress: 224, internalConnections: 112, deliveries: 112 }],
    [20_000, { publicConnections: 9936, publicPerAddress: 4968, internalConnections: 2484, deliveries: 500 }],
    [1_048_576, { publicConnections: 10_000, publicPerAddress: 5000, internalConnections: 4000, deliveries: 500 }],
    [Number.POSITIVE_INFINITY, { publicConnections: 10_000, publicPerAddress: 5000, internalConnections: 4000 }],
  ])("are shared without settings: %i", (limit, shares) => {
    expect(shareOpenFiles(limit, unset)).toMatchObject(shares);
  });

  it("are never shared out completely: files, the database and webhooks need some", () => {
    for (let limit = 512; limit < 30_000; limit += 7) {
      const { publicConnections, internalConnections, deliveries } = shareOpenFiles(limit, unset);
      expect(limit - publicConnections - 2 * internalConnections - deliveries).toBeGreaterThanOrEqual(128);
    }
  });

  it("leave as many public connections as the settings require", () => {
    const shares = shareOpenFiles(50_000, { maxConnections: 20_000, maxConnectionsPerAddress: 0 });
    expect(shares).toMatchObject({ publicConnections: 20_000, publicPerAddress: 0 });
  });

  it("are not enough for a setting of more than half", () => {
    const asked = { ...unset, maxConnections: 600 };
    expect(() => shareOpenFiles(1024, asked)).toThrow(ConfigError);
    expect(() => shareOpenFiles(1024, asked)).toThrow(/at most 448.*\(1024\), but is 600.*raise the limit to 1328/);
    expect(shareOpenFiles(1328, asked).publicConnections).toBe(600);
  });
});
