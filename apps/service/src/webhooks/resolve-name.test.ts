import { expect, it } from "vitest";
import type { Resolve } from "./address.js";
import { createResolve } from "./resolve-name.js";

const find = (resolve: Resolve, name: string) =>
  new Promise((done) => resolve(name, { all: true }, (error, addresses) => done(error ?? addresses)));

it("finds what only this machine knows, for all who ask at once", async () => {
  const resolve = createResolve();
  const loopback = expect.arrayContaining([{ address: "127.0.0.1", family: 4 }]);
  expect(await Promise.all([find(resolve, "localhost"), find(resolve, "localhost")])).toEqual([loopback, loopback]);
});

it("says when a name is not to be found", async () => {
  expect(await find(createResolve(), "no-such-name.invalid")).toBeInstanceOf(Error);
});
