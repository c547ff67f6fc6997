const PLACEHOLDER = /\{(\w*)\}/g;
const placeholders: ReadonlySet<string> = new Set(["token", "channel", "project"]);

/** What is wrong with the template of a join link; undefined if nothing is. */
export function joinLinkFault(template: string): string | undefined {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !placeholders.has(name));
  if (unknown !== undefined) return `has {${unknown}}, but only {token}, {channel} and {project} are known`;
  if (!names.includes("token")) return "must contain {token}, which stands for the token";
  return /^https?:\/\/[^\s/]\S*$/.test(template)
    ? undefined
    : "must be an address that begins with https:// or http://";
}

/**
 * The link by which a person joins with a token.
 *
 * @param template A text without {@link joinLinkFault}, such as `https://meet.example.com/{channel}#token={token}`.
 * @param token The token, and the name of its channel, which is empty if it is valid for every channel.
 */
export function joinLink(
  template: string,
  token: { readonly token: string; readonly channel: string; readonly project: string },
): string {
  const values = new Map(Object.entries(token));
  return template.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
}
