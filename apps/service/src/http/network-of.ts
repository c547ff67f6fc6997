const IPV6_GROUPS = 8;
// What a provider assigns to one subscriber: a caller has all addresses of it.
const SUBSCRIBER_GROUPS = 4;

/** What limits by address count as one: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("%", 1).join("").split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - first.length - last.length)).fill("0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups.slice(0, SUBSCRIBER_GROUPS).join(":")}::/64`;
}
