import { expect, test } from "vitest";
import { readAddress, writeAddress } from "./place.js";

test("an address restores the person and the place", () => {
  expect(readAddress(writeAddress("U1", "C2"))).toEqual({ person: "U1", place: "C2" });
});

test.each(["", "#", "#/"])("%j contains neither a person nor a place", (hash) => {
  expect(readAddress(hash)).toEqual({ person: undefined, place: undefined });
});
