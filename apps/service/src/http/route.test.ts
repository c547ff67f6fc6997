import { expect, it } from "vitest";
import { acceptsGzip } from "./route.js";

it.each([
  ["gzip", true],
  ["GZip", true],
  ["br, gzip", true],
  ["deflate,gzip;q=0.5", true],
  ["gzip ; q=1.000", true],
  ["gzip;Q=0.001", true],
  ["*", true],
  ["br;q=1, *;q=0.1", true],
  ["gzip;level=9;q=0.5", true],
  [["br", "gzip"], true],
  [undefined, false],
  ["", false],
  ["identity", false],
  ["br, deflate", false],
  ["gzipped", false],
  ["gzip;q=0", false],
  ["gzip;q=0.000", false],
  ["gzip;q=.", false],
  ["gzip;q=0, *", false],
  ["*;q=0", false],
  ["*;q=0, br", false],
  [";;q=,", false],
] as const)("Accept-Encoding %j allows gzip: %s", (acceptEncoding, expected) => {
  expect(acceptsGzip(typeof acceptEncoding === "object" ? [...acceptEncoding] : acceptEncoding)).toBe(expected);
});
