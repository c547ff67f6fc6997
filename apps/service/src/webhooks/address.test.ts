import type { LookupAddress } from "node:dns";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPublicLookup, isPublicAddress, type Resolve, webhookAddressFault } from "./address.js";
import { createResolve } from "./resolve-name.js";

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
    "LOCALHOST",
    "localhost.",
    "hooks.localhost:8080",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.01",
    "１２７.0.0.1",
    "0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1:8443",
    "169.254.169.254",
    "100.64.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]:8080",
  ])("may be at %s only where private ones are allowed", (host) => {
    const fault = webhookAddressFault(`http://${host}/`, { allowPrivate: false });
    expect(fault).toContain("MEDIA_ALLOW_PRIVATE_WEBHOOKS=true");
    expect(webhookAddressFault(`http://${host}/`, { allowPrivate: true })).toBeUndefined();
  });
});

describe("an IP address", () => {
  it.each(["1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00::1", "::ffff:8.8.8.8"])(
    "is public: %s",
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true);
    },
  );

  it.each([
    ["this network", "0.0.0.0", "0.1.2.3"],
    ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
    ["of a provider's own network", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.1", "127.255.255.255", "::1"],
    ["link-local", "169.254.0.0", "169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["for protocols", "192.0.0.0", "192.0.0.9", "192.0.0.170", "2001:1::1", "192.88.99.1", "192.31.196.1"],
    ["for documents", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    ["for benchmarks", "198.18.0.0", "198.19.255.255", "2001:2::1"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    ["for the future, or broadcast", "240.0.0.1", "255.255.255.254", "255.255.255.255"],
    ["unspecified", "::"],
    ["of a site", "fc00::1", "fd12:3456::1", "fec0::1", "feff::1"],
    ["an IPv4 address in IPv6", "::ffff:7f00:1", "::ffff:127.0.0.1", "::ffff:0:8.8.8.8"],
    ["an IPv4 address in old IPv6", "::127.0.0.1", "::7f00:1", "::8.8.8.8", "::808:808"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::808:808"],
    ["6to4 or Teredo", "2002:7f00:1::", "2002:808:808::", "2001::1", "2001:0:808:808::"],
    ["none that has been handed out", "100::1", "100:0:0:1::1", "1::1", "4000::1", "5f00::1", "e000::1"],
    ["with a zone", "2606:4700::1111%eth0", "::ffff:8.8.8.8%1"],
    ["unreadable", "", "localhost", "8.8.8", "0x08.8.8.8", "8.8.8.8 ", "[::1]", "[2606:4700::1111]", "8.8.8.8:80"],
  ])("is not public: %s", (_, ...ips) => {
    expect(ips.filter(isPublicAddress)).toEqual([]);
  });

  it("can always be judged, and wrapped in IPv6 it is as public as by itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string()), (text) => {
        expect(isPublicAddress(text)).toBeTypeOf("boolean");
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (ip) => {
        expect(isPublicAddress(`::ffff:${ip}`)).toBe(isPublicAddress(ip));
        expect(isPublicAddress(`64:ff9b::${ip}`)).toBe(false);
        expect(isPublicAddress(`::${ip}`)).toBe(false);
      }),
    );
  });
});

describe("the lookup of a name", () => {
  const v4 = (address: string): LookupAddress => ({ address, family: 4 });
  const v6 = (address: string): LookupAddress => ({ address, family: 6 });

  /** Looks up `hooks.example`, whose addresses are these. */
  function look(addresses: LookupAddress[], all: boolean): Promise<{ error: unknown; found: unknown[] }> {
    const lookup = createPublicLookup((_, __, callback) => callback(null, addresses));
    return new Promise((done) => lookup("hooks.example", { all }, (error, ...found) => done({ error, found })));
  }

  it("gives the public addresses alone", async () => {
    const addresses = [v4("10.0.0.1"), v6("2606:4700::1111"), v6("::1"), v4("8.8.8.8")];
    const all = await look(addresses, true);
    expect(all).toEqual({ error: null, found: [[v6("2606:4700::1111"), v4("8.8.8.8")]] });
    const one = await look(addresses, false);
    expect(one).toEqual({ error: null, found: ["2606:4700::1111", 6] });
  });

  it.each([true, false])("fails where none is public (all: %s)", async (all) => {
    const { error, found } = await look([v4("127.0.0.1"), v6("fd00::1"), v6("::ffff:10.0.0.1")], all);
    expect(error).toMatchObject({ name: "PrivateAddressError" });
    expect(String(error)).toMatch(/hooks\.example.*MEDIA_ALLOW_PRIVATE_WEBHOOKS=true/);
    // Whoever may set an address must not learn by it how the own network is numbered.
    expect(String(error)).not.toContain("127.0.0.1");
    expect(found).toEqual([[]]);
  });

  it("fails as the resolver does, and asks it as it was asked", async () => {
    const failure = new Error("no such name");
    const asked: unknown[] = [];
    const resolve: Resolve = (hostname, options, callback) => {
      asked.push(hostname, options);
      callback(failure, []);
    };
    const error = await new Promise((done) => createPublicLookup(resolve)("hooks.example", { family: 6 }, done));
    expect(error).toBe(failure);
    expect(asked).toEqual(["hooks.example", { family: 6, all: true }]);
  });

  it("asks the system's resolver by itself", async () => {
    const error = await new Promise((done) => createPublicLookup(createResolve())("localhost", { all: true }, done));
    expect(error).toMatchObject({ name: "PrivateAddressError" });
  });
});
