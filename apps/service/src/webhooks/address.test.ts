import type { Resolve } from "@media-ops/public-addresses";
import { describe, expect, it } from "vitest";
import { hostFault, webhookAddressFault } from "./address.js";

describe("an address for webhooks", () => {
  it.each([
    "https://example.com/webhooks",
    "http://example.com:8080/a/b?project=demo&x=%20",
    "https://bücher.example/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]:8443/",
    "https://localhost.example.com/",
    "https://mylocalhost/",
    `https://example.com/${"a".repeat(2028)}`,
  ])("may be %s", (address) => {
    expect(webhookAddressFault(address, { allowPrivate: false })).toBeUndefined();
  });

  it.each([
    ["", "must be a URL"],
    ["example.com/webhooks", "must be a URL"],
    ["https://", "must be a URL"],
    ["https://[::1/", "must be a URL"],
    ["https://256.1.1.1/", "must be a URL"],
    ["ftp://example.com/", "must start with https:// or http://"],
    ["file:///etc/passwd", "must start with https:// or http://"],
    ["javascript:alert(1)", "must start with https:// or http://"],
    ["https://user@example.com/", "user name or a password"],
    ["https://:pass@example.com/", "user name or a password"],
    ["https://example.com/#part", "contains a #"],
    ["https://example.com/#", "contains a #"],
    ["https://exam\nple.com/", "a space or a control character"],
    [" https://example.com/", "a space or a control character"],
    ["https://example.com/a b", "a space or a control character"],
    [`https://example.com/${"a".repeat(2029)}`, "at most 2048 characters"],
  ])("may not be %j, even if private ones are allowed", (address, fault) => {
    expect(webhookAddressFault(address, { allowPrivate: false })).toContain(fault);
    expect(webhookAddressFault(address, { allowPrivate: true })).toContain(fault);
  });

  it("is not repeated in the error, since it may contain a password", () => {
    expect(webhookAddressFault("https://user:hunter2@example.com/", { allowPrivate: true })).not.toContain("hunter2");
  });

  it.each([
    "localhost",
    "hooks.localhost:8080",
    "127.0.0.1",
    "2130706433",
    "10.1.2.3",
    "169.254.169.254",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[fd00::1]:8080",
  ])("may be at %s only if private ones are allowed", (host) => {
    const fault = webhookAddressFault(`http://${host}/`, { allowPrivate: false });
    expect(fault).toContain("MEDIA_ALLOW_PRIVATE_WEBHOOKS=true");
    expect(webhookAddressFault(`http://${host}/`, { allowPrivate: true })).toBeUndefined();
  });
});

describe("the host of an address", () => {
  const known: Readonly<Record<string, string[]>> = {
    "inside.example": ["10.0.0.1", "fd00::1"],
    "both.example": ["10.0.0.1", "93.184.215.14"],
    "outside.example": ["93.184.215.14"],
  };
  const resolve: Resolve = async (name) => {
    const addresses = (known[name] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (addresses.length === 0) throw Object.assign(new Error("unknown"), { code: "ENOTFOUND" });
    return addresses;
  };
  const faultOf = (host: string, allowPrivate = false) => hostFault(`https://${host}/hooks`, { allowPrivate }, resolve);

  it("is refused if all its addresses are private", async () => {
    const message =
      "inside.example has no public address. Set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private ones.";
    expect(await faultOf("inside.example")).toMatchObject({ name: "PrivateAddressError", message });
    expect(await faultOf("inside.example", true)).toBeUndefined();
  });

  it.each(["both.example", "outside.example", "93.184.215.14:8080", "[2606:2800:21f:cb07::1]"])(
    "may be %s",
    async (host) => {
      expect(await faultOf(host)).toBeUndefined();
    },
  );

  it.each([true, false])("that is unknown has another fault (private ones allowed: %s)", async (allowPrivate) => {
    expect(await faultOf("nowhere.example", allowPrivate)).toMatchObject({ code: "ENOTFOUND", name: "Error" });
  });
});
