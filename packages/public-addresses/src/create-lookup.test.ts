import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { describe, expect, it } from "vitest";
import { createLookup, createPublicLookup, createResolve, PrivateAddressError, type Resolve } from "./index.js";

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });
const leadingTo =
  (...addresses: LookupAddress[]): Resolve =>
  (_, __, callback) =>
    callback(null, addresses);
const explain = (hostname: string): string => `${hostname} is inside.`;

const look = (lookup: LookupFunction, all: boolean): Promise<{ error: unknown; found: unknown[] }> =>
  new Promise((done) => lookup("hooks.example", { all }, (error, ...found) => done({ error, found })));

describe("a lookup", () => {
  it("gives every address, or the first", async () => {
    const lookup = createLookup(leadingTo(v4("10.0.0.1"), v6("::1")));
    expect(await look(lookup, true)).toEqual({ error: null, found: [[v4("10.0.0.1"), v6("::1")]] });
    expect(await look(lookup, false)).toEqual({ error: null, found: ["10.0.0.1", 4] });
  });

  it.each([true, false])("fails where there is no address (all: %s)", async (all) => {
    expect((await look(createLookup(leadingTo()), all)).error).toMatchObject({ code: "ENOTFOUND" });
  });
});

describe("a public lookup", () => {
  it("gives the public addresses alone", async () => {
    const resolve = leadingTo(v4("10.0.0.1"), v6("2606:4700::1111"), v6("::1"), v4("8.8.8.8"));
    const lookup = createPublicLookup(resolve, explain);
    expect(await look(lookup, true)).toEqual({ error: null, found: [[v6("2606:4700::1111"), v4("8.8.8.8")]] });
    expect(await look(lookup, false)).toEqual({ error: null, found: ["2606:4700::1111", 6] });
  });

  it.each([true, false])("fails as it is told to where none is public (all: %s)", async (all) => {
    const resolve = leadingTo(v4("127.0.0.1"), v6("fd00::1"), v6("::ffff:10.0.0.1"));
    const { error, found } = await look(createPublicLookup(resolve, explain), all);
    expect(error).toBeInstanceOf(PrivateAddressError);
    // Nothing else: whoever may set an address must not learn by it how the own network is numbered.
    expect(String(error)).toBe("PrivateAddressError: hooks.example is inside.");
    expect(found).toEqual([[]]);
  });

  it("fails as the resolver does, and asks it as it was asked", async () => {
    const failure = new Error("no such name");
    const asked: unknown[] = [];
    const resolve: Resolve = (hostname, options, callback) => {
      asked.push(hostname, options);
      callback(failure, []);
    };
    const lookup = createPublicLookup(resolve, explain);
    expect(await new Promise((done) => lookup("hooks.example", { family: 6 }, done))).toBe(failure);
    expect(asked).toEqual(["hooks.example", { family: 6, all: true }]);
  });

  it("gives nothing private that this machine alone knows", async () => {
    const lookup = createPublicLookup(createResolve(), explain);
    expect(await new Promise((done) => lookup("localhost", { all: true }, done))).toBeInstanceOf(PrivateAddressError);
  });
});
