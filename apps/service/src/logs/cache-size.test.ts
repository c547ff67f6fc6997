import { expect, it } from "vitest";
import { defaultCacheBytes } from "./cache-size.js";

const MIB = 2 ** 20;

it.each([
  ["a container of 256 MiB", 256, 32],
  ["a container of 1 GiB", 1024, 64],
  ["a machine of 4 GiB", 4096, 256],
  ["a machine of 256 GiB", 262_144, 512],
])("in %s listings take %i / 16 MiB, but from 32 to 512: %i", (_, memory, expected) => {
  expect(defaultCacheBytes(memory * MIB)).toBe(expected * MIB);
});

it("unless told how much memory there is, it looks by itself", () => {
  expect(defaultCacheBytes()).toBeGreaterThanOrEqual(32 * MIB);
  expect(defaultCacheBytes()).toBeLessThanOrEqual(512 * MIB);
});
