/** An address without what most begin with, which says nothing. */
export const withoutScheme = (address: string): string => address.replace(/^https?:\/\//, "");

/**
 * How many of an address's last characters to keep where it is cut to `longest`. What tells receivers from each other is
 * how the host begins, its port, and how the path ends: a short path stays whole with the port before it.
 */
export function endOfAddress(address: string, longest: number): number {
  const [host = ""] = address.split("/", 1);
  const port = /:\d{1,5}$/.exec(host)?.[0] ?? "";
  const tail = port.length + address.length - host.length;
  const room = longest - 1;
  // A third is left for the host at least.
  return tail > 0 && tail <= (room * 2) / 3 ? tail : Math.floor(room / 2);
}
