/** An address as it may be shown: without user, password and query, in which somebody may have put a secret. */
export function shownAddress(address: string): string {
  return safeAddress(address) ?? "(no address)";
}

/** The same; undefined for what is no address of the web, which may be a user and a password. */
export function safeAddress(address = ""): string | undefined {
  const { protocol, host, pathname } = new URL(URL.canParse(address) ? address : "none:");
  return /^https?:$/.test(protocol) ? `${protocol}//${host}${pathname}`.replace(/\/+$/, "") : undefined;
}
