import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPrivateHost, isPublicAddress, networkOf } from "./index.js";

const hostOf = (host: string): string => new URL(`https://${host}/`).hostname;

describe("the host of a URL", () => {
  it.each([
    "localhost",
    "LOCALHOST.",
    "media.localhost:8080",
    ".",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.01",
    "１２７.0.0.1",
    "0.0.0.0",
    "0",
    "10.0.0.1",
    "10.255.255.255:8443",
    "172.16.0.1",
    "192.168.1.1:8443",
    "169.254.169.254",
    "168.63.129.16",
    "2822734096",
    "2852039166",
    "100.64.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:a00:1]",
    "[::ffff:169.254.169.254]",
    "[::127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00::1]:8080",
    "[fdff::1]",
  ])("is private without a lookup: %s", (host) => {
    expect(isPrivateHost(hostOf(host))).toBe(true);
  });

  it.each([
    "media.example",
    "localhost.example.com",
    "mylocalhost",
    "8.8.8.8",
    "172.32.0.1",
    "[2606:4700::1111]:8443",
    "[::ffff:8.8.8.8]",
  ])("is not private without a lookup: %s", (host) => {
    expect(isPrivateHost(hostOf(host))).toBe(false);
  });
});

describe("an IP address", () => {
  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "168.63.129.15",
    "168.63.129.17",
    "161.25.255.255",
    "166.7.255.255",
    "166.12.0.0",
    "2606:4700::1111",
    "2a00::1",
    "2606:4700::5eff:808:808",
    "::ffff:8.8.8.8",
  ])("is public: %s", (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    ["this network", "0.0.0.0", "0.1.2.3"],
    ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
    ["a provider's internal network", "100.64.0.0", "100.127.255.255"],
    [
      "Azure's service for each machine",
      "168.63.129.16",
      "::ffff:168.63.129.16",
      "::ffff:a83f:8110",
      "64:ff9b::a83f:8110",
    ],
    ["IBM Cloud's own services", "161.26.0.10", "161.26.255.255", "166.8.0.1", "166.11.255.255"],
    ["other clouds' metadata", "100.100.100.200", "192.0.0.192", "169.254.170.2", "fd00:ec2::254", "fd20:ce::254"],
    ["an IPv4 address in ISATAP", "2606:4700::5efe:7f00:1", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:808:808"],
    ["loopback", "127.0.0.1", "127.255.255.255", "::1"],
    ["link-local", "169.254.0.0", "169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    ["protocol assignments", "192.0.0.0", "192.0.0.9", "192.0.0.170", "2001:1::1", "192.88.99.1", "192.31.196.1"],
    ["documentation", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    ["benchmarks", "198.18.0.0", "198.19.255.255", "2001:2::1"],
    ["multicast", "224.0.0.1", "239.255.255.255", "ff02::1"],
    ["reserved, or broadcast", "240.0.0.1", "255.255.255.254", "255.255.255.255"],
    ["unspecified", "::"],
    ["a local address", "fc00::1", "fd12:3456::1", "fec0::1", "feff::1"],
    ["an IPv4 address in IPv6", "::ffff:7f00:1", "::ffff:127.0.0.1", "::ffff:0:8.8.8.8"],
    ["an IPv4 address in a deprecated IPv6 form", "::127.0.0.1", "::7f00:1", "::8.8.8.8", "::808:808"],
    ["NAT64", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::808:808"],
    ["6to4 or Teredo", "2002:7f00:1::", "2002:808:808::", "2001::1", "2001:0:808:808::"],
    ["unassigned", "100::1", "100:0:0:1::1", "1::1", "4000::1", "5f00::1", "e000::1"],
    ["with a zone", "2606:4700::1111%eth0", "::ffff:8.8.8.8%1"],
    ["unreadable", "", "localhost", "8.8.8", "0x08.8.8.8", "8.8.8.8 ", "[::1]", "[2606:4700::1111]", "8.8.8.8:80"],
  ])("is not public: %s", (_, ...ips) => {
    expect(ips.filter(isPublicAddress)).toEqual([]);
  });

  it("can always be classified, and its IPv6 form is as public as itself", () => {
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

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::1", "0:0:0:0::/64"],
  ["2001:db8:1:2::7", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::5:6:7:8", "2001:db8:0:0::/64"],
  ["2001:db8::", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
])("%s belongs to the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
