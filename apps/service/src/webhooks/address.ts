import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** Which addresses webhooks may go to. */
export interface AddressOptions {
  /** Whether addresses inside the operator's own network are allowed (MEDIA_ALLOW_PRIVATE_WEBHOOKS). */
  allowPrivate: boolean;
}

// What every common server and proxy lets through.
const MAX_LENGTH = 2048;
// All that has ever been handed out for the public internet; of what lies outside, ipaddr.js knows some only.
const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** The name leads to private addresses only, and webhooks may not go there. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";

  constructor(host: string) {
    super(
      `Webhooks go to public addresses only, and ${host} leads to none. Set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private ones.`,
    );
  }
}

/** What is wrong with an address that webhooks are to go to, as a sentence; undefined where nothing is. */
export function webhookAddressFault(text: string, { allowPrivate }: AddressOptions): string | undefined {
  if (text.length > MAX_LENGTH) return `An address has at most ${MAX_LENGTH} characters. Give a shorter one.`;
  if (!URL.canParse(text)) return "This is no address. Give one such as https://example.com/webhooks.";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") {
    return "Webhooks go to an address that begins with https:// or http://. Give such a one.";
  }
  // The URL parser would drop or encode them, and what is called would not be what was given.
  if (/[\s\p{Cc}]/u.test(text)) return "The address holds a space or a control character. Take it out.";
  if (username !== "" || password !== "") {
    return "The address holds a user name or a password. Leave them out: the signature tells who sends a webhook.";
  }
  if (text.includes("#")) return "The address holds a #, and what follows it is never sent. Leave it out.";
  if (!allowPrivate && isPrivateHost(hostname)) {
    return "The address is private, and webhooks go to public ones only. Give a public one, or set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true.";
  }
  return undefined;
}

/**
 * Whether the host of a URL is private by itself, as `localhost` and `[::1]` are. A name that leads to a private
 * address is none here: that is for {@link createPublicLookup} to find out, at the time of each call.
 *
 * @param hostname As the URL parser gives it: it has made `0x7f.1` into `127.0.0.1`.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  const ip = name.replace(/^\[(.*)\]$/, "$1");
  return isIP(ip) === 0 ? /(?:^|\.)localhost$/i.test(name) : !isPublicAddress(ip);
}

/** Whether an IP address is one of the public internet. What cannot be read is not. */
export function isPublicAddress(ip: string): boolean {
  // A zone (fe80::1%eth0) is for addresses of the own network; ipaddr.js also reads short forms that no resolver gives.
  if (isIP(ip) === 0 || ip.includes("%")) return false;
  const address = ipaddr.process(withoutDots(ip));
  // "unicast" is none of the special ranges: what wraps an IPv4 address (NAT64, 6to4, Teredo) is not, whichever it is.
  if (address.range() !== "unicast") return false;
  return !(address instanceof ipaddr.IPv6) || address.match(PUBLIC_IPV6);
}

/** Writes the end of an IPv6 address in hex. ipaddr.js takes `::8.8.8.8` for the IPv4 address, which it is not. */
function withoutDots(ip: string): string {
  return isIPv6(ip) && ip.includes(".") ? new URL(`http://[${ip}]`).hostname.slice(1, -1) : ip;
}

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A `lookup` for sockets, by another way to find the addresses of a name. */
export function createLookup(resolve: Resolve): LookupFunction {
  return filteredLookup(resolve, () => true);
}

/**
 * A `lookup` for sockets that gives the public addresses of a name, and fails with a {@link PrivateAddressError} where
 * there are none. The socket connects to what was looked at here; a check before it would look up the name a second
 * time, and its owner could answer otherwise (DNS rebinding).
 */
export function createPublicLookup(resolve: Resolve): LookupFunction {
  return filteredLookup(resolve, isPublicAddress);
}

function filteredLookup(resolve: Resolve, isAllowed: (ip: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) callback(new PrivateAddressError(hostname), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
