import { PrivateAddressError } from "@media-ops/public-addresses";
import { expect, it, vi } from "vitest";
import { nameFault } from "./name-fault.js";

const addressesOf = new Map([
  ["inside.example", ["10.0.0.1", "fd00::1"]],
  ["both.example", ["10.0.0.1", "93.184.215.14"]],
  ["outside.example", ["93.184.215.14"]],
]);

vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup(name: string, _: object, callback: (error: Error | null, addresses: object[]) => void) {
    const addresses = addressesOf.get(name);
    if (addresses)
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }), []);
  },
}));

const faultOf = (url: string, allowPrivate = false) => nameFault(url, { allowPrivate });

it("a name that leads to private addresses only is at fault", async () => {
  expect(await faultOf("https://inside.example/hooks")).toBeInstanceOf(PrivateAddressError);
  expect(await faultOf("https://inside.example/hooks", true)).toBeUndefined();
});

it("one public address is enough", async () => {
  expect(await faultOf("https://both.example/hooks")).toBeUndefined();
  expect(await faultOf("https://outside.example/hooks")).toBeUndefined();
});

it("a name that cannot be looked up is at fault in another way", async () => {
  for (const allowPrivate of [true, false]) {
    const fault = await faultOf("https://nowhere.example/hooks", allowPrivate);
    expect(fault).toMatchObject({ code: "ENOTFOUND" });
    expect(fault).not.toBeInstanceOf(PrivateAddressError);
  }
});

it("an IP address is not looked up", async () => {
  expect(await faultOf("http://93.184.215.14:8080/hooks")).toBeUndefined();
  expect(await faultOf("http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/hooks")).toBeUndefined();
});
