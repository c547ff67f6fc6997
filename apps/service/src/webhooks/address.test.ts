import type { Resolve } from "@media-ops/public-addresses";
import { describe, expect, it } from "vitest";
import { webhookAddressFault, webhookLookup } from "./address.js";

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
    ["", "This is no address."],
    ["example.com/webhooks", "This is no address."],
    ["https://", "This is no address."],
    ["https://[::1/", "This is no address."],
    ["https://256.1.1.1/", "This is no address."],
    ["ftp://example.com/", "begins with https:// or http://"],
    ["file:///etc/passwd", "begins with https:// or http://"],
    ["javascript:alert(1)", "begins with https:// or http://"],
    ["https://user@example.com/", "user name or a password"],
    ["https://:pass@example.com/", "user name or a password"],
    ["https://example.com/#part", "holds a #"],
    ["https://example.com/#", "holds a #"],
    ["https://exam\nple.com/", "a space or a control character"],
    [" https://example.com/", "a space or a control character"],
    ["https://example.com/a b", "a space or a control character"],
    [`https://example.com/${"a".repeat(2029)}`, "at most 2048 characters"],
  ])("may not be %j, wherever private ones are allowed", (address, fault) => {
    expect(webhookAddressFault(address, { allowPrivate: false })).toContain(fault);
    expect(webhookAddressFault(address, { allowPrivate: true })).toContain(fault);
  });

  it("is not shown in what is said of it, since it may hold a password", () => {
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
  ])("may be at %s only where private ones are allowed", (host) => {
    const fault = webhookAddressFault(`http://${host}/`, { allowPrivate: false });
    expect(fault).toContain("MEDIA_ALLOW_PRIVATE_WEBHOOKS=true");
    expect(webhookAddressFault(`http://${host}/`, { allowPrivate: true })).toBeUndefined();
  });
});

describe("the lookup of a name", () => {
  const leadingInside: Resolve = (_, __, callback) => callback(null, [{ address: "10.0.0.1", family: 4 }]);
  const look = (allowPrivate: boolean) =>
    new Promise((done) => {
      const lookup = webhookLookup({ allowPrivate }, leadingInside);
      lookup("hooks.example", { all: false }, (error, address) => done(error ?? address));
    });

  it("that leads inside fails, and says how to allow it", async () => {
    expect(String(await look(false))).toBe(
      "PrivateAddressError: Webhooks go to public addresses only, and hooks.example leads to none. Set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private ones.",
    );
  });

  it("may lead inside where private ones are allowed", async () => {
    expect(await look(true)).toBe("10.0.0.1");
  });
});
