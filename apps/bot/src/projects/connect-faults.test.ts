import { describe, expect, it } from "vitest";
import { connectFaults, givenIn } from "./connect-faults.js";

const right = { address: "https://media.example", project: "demo", key: "mo_0123_0123456789abcdefghij" };
const faultsOf = (values: object, allowPrivate = true) =>
  connectFaults({ values: { ...right, ...values } }, allowPrivate);

describe("what is filled in to connect a project", () => {
  it("is taken where it can be right", () => {
    expect(faultsOf({})).toBeUndefined();
    expect(faultsOf({ project: `a${"b".repeat(62)}`, address: "http://10.0.0.1:8080/media" })).toBeUndefined();
    expect(faultsOf({ key: "another.service~s/key+=" })).toBeUndefined();
  });

  it.each([
    ["address", { address: "media.example" }],
    ["address", { address: "ftp://media.example" }],
    ["address", { address: "https://user:word@media.example" }],
    ["address", { address: undefined }],
    ["project", { project: "-demo" }],
    ["project", { project: "a@b" }],
    ["project", { project: "a".repeat(64) }],
    ["key", { key: "with blank" }],
    ["key", { key: "schlüssel" }],
    ["key", { key: '"quoted"' }],
    ["key", { key: "<mo_key>" }],
    ["key", { key: undefined }],
  ])("is marked at the field %s: %o", (field, values) => {
    expect(Object.keys(faultsOf(values) ?? {})).toEqual([field]);
  });

  it("may be private only where the bot may go there", () => {
    expect(faultsOf({ address: "https://192.168.0.1" }, false)).toHaveProperty("address");
    expect(faultsOf({ address: "http://media.example" }, false)).toHaveProperty("address");
  });

  it("is kept without the slash at the address's end, so that one service has one address", () => {
    expect(givenIn({ values: { ...right, address: "https://media.example//" } }).address).toBe(right.address);
  });
});
