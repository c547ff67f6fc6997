import { redact } from "@media-ops/secrets";

/** Whether a text that somebody sent holds a key, a token or another secret, and must be neither stored nor repeated. */
export const holdsSecret = (text: string): boolean => redact(text) !== text;

const WORDS = "This holds a key or a token, so nothing was done with it. Remove it here, revoke it, and use a new one.";

/** What is wrong with the texts of a window, by field: those that hold a secret; undefined if none does. */
export function secretFaults(
  values: Readonly<Record<string, string | undefined>>,
  { secretField }: { readonly secretField?: string | undefined },
): Readonly<Record<string, string>> | undefined {
  const found = Object.entries(values).filter(
    ([field, text]) => field !== secretField && text !== undefined && holdsSecret(text),
  );
  return found.length === 0 ? undefined : Object.fromEntries(found.map(([field]) => [field, WORDS]));
}
