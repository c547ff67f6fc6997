import { expect, test } from "vitest";
import { readAddress, writeAddress } from "./place.js";

test("an address brings back the person and the place", () => {
  expect(readAddress(writeAddress("U1", "C2"))).toEqual({ person: "U1", place: "C2" });
});

test.each(["", "#", "#/"])("%j says nothing", (hash) => {
  expect(readAddress(hash)).toEqual({ person: undefined, place: undefined });
});
