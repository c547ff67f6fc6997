import { isIP } from "node:net";

// No site on the internet can have such a name: RFC 6761, 6762 and 8375, and ICANN's resolution on ".internal".
const NEVER_PUBLIC = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Whether a Host header names a listener of the internal network: by an IP address, by a name that cannot be a public
 * site's, or by one of these names. Any other name may be a site's that leads its visitors' browsers here (DNS rebinding).
 *
 * @param names In lower case.
 */
export function isInternalHost(host: string, names: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  return !name.includes(".") || NEVER_PUBLIC.test(name) || names.includes(name);
}
