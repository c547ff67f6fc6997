import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

// Everything assigned for the public internet; ipaddr.js knows only some of the special ranges outside it.
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

// In public ranges, but reachable only from machines in a provider's network.
const INSIDE_PROVIDERS = [
  // Azure's WireServer, which serves settings and certificates to each virtual machine.
  "168.63.129.16/32",
  // Services of IBM Cloud for its own machines.
  "161.26.0.0/16",
  "166.8.0.0/14",
].map((range) => ipaddr.IPv4.parseCIDR(range));

/** Whether a URL's host, as the URL parser returns it, is private without a lookup, as `localhost` is. */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  const ip = name.replace(/^\[(.*)\]$/, "$1");
  if (isIP(ip) !== 0) return !isPublicAddress(ip);
  return name === "" || /(?:^|\.)localhost$/i.test(name);
}

/** Whether an IP address belongs to the public internet; false if it cannot be parsed. */
export function isPublicAddress(ip: string): boolean {
  // Only local addresses have a zone (fe80::1%eth0); ipaddr.js also parses short forms that no resolver returns.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  const address = ipaddr.process(withoutDots(ip));
  // Not in a special range; addresses that wrap an IPv4 address (NAT64, 6to4, Teredo) are never "unicast".
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return address.match(PUBLIC_IPV6) && !isIsatap(address);
  return !INSIDE_PROVIDERS.some((range) => address.match(range));
}

/** Whether an address wraps an IPv4 address as ISATAP does (RFC 5214). */
function isIsatap({ parts: [, , , , universal = 0, marker] }: ipaddr.IPv6): boolean {
  return (universal === 0 || universal === 0x0200) && marker === 0x5efe;
}

/** Writes the end of an IPv6 address in hex, as ipaddr.js wrongly reads `::8.8.8.8` as an IPv4 address. */
function withoutDots(ip: string): string {
  return isIPv6(ip) && ip.includes(".") ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

// Providers assign a /64 network to one subscriber, who can use all of its addresses.
const SUBSCRIBER_GROUPS = 4;

/** The network of one subscriber that an address belongs to: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(ip: string): string {
  if (isIP(ip) === 0) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const groups = address.parts.slice(0, SUBSCRIBER_GROUPS).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
