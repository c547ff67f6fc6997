import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

// All that has ever been handed out for the public internet; of what lies outside, ipaddr.js knows some only.
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

// Public by their numbers, but served only to machines inside a provider's network.
const INSIDE_PROVIDERS = [
  // Azure's WireServer, which hands each virtual machine its settings and certificates.
  "168.63.129.16/32",
  // The services of IBM Cloud that only its own machines reach.
  "161.26.0.0/16",
  "166.8.0.0/14",
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Whether the host of a URL is private by itself, as `localhost` and `[::1]` are. A name that leads to a private
 * address is none here: that is for a lookup to find out, at the time of each connection.
 *
 * @param hostname As the URL parser gives it, which makes `127.0.0.1` of `0x7f.1` and of `2130706433`.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  const ip = name.replace(/^\[(.*)\]$/, "$1");
  if (isIP(ip) !== 0) return !isPublicAddress(ip);
  return name === "" || /(?:^|\.)localhost$/i.test(name);
}

/** Whether an IP address is one of the public internet. What cannot be read is not. */
export function isPublicAddress(ip: string): boolean {
  // A zone (fe80::1%eth0) is for addresses of the own network; ipaddr.js also reads short forms that no resolver gives.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  const address = ipaddr.process(withoutDots(ip));
  // "unicast" is none of the special ranges: what wraps an IPv4 address (NAT64, 6to4, Teredo) is not, whichever it is.
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return address.match(PUBLIC_IPV6) && !isIsatap(address);
  return !INSIDE_PROVIDERS.some((range) => address.match(range));
}

/** Whether an address holds an IPv4 address of the own network as ISATAP does (RFC 5214). */
function isIsatap({ parts: [, , , , universal = 0, marker] }: ipaddr.IPv6): boolean {
  return (universal === 0 || universal === 0x0200) && marker === 0x5efe;
}

/** Writes the end of an IPv6 address in hex. ipaddr.js takes `::8.8.8.8` for the IPv4 address, which it is not. */
function withoutDots(ip: string): string {
  return isIPv6(ip) && ip.includes(".") ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}
