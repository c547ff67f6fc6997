import { addressFault } from "../connections/public-addresses.js";
import type { Sent } from "../features.js";

/** What was filled in, and has the right form. */
export interface Given {
  readonly address: string;
  readonly project: string;
  readonly key: string;
  readonly reach: string;
}

// As the service names projects.
const PROJECT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
// What can be sent as a bearer token; a client takes no other.
const KEY = /^[\w.~+/-]+=*$/;

/** What is wrong with what was filled in, by field; undefined where nothing is. Nothing of it is repeated. */
export function connectFaults(
  { values }: Pick<Sent, "values">,
  allowPrivate: boolean,
): Record<string, string> | undefined {
  const { address = "", project = "", key = "" } = values;
  const faults = {
    address: addressFault(address, allowPrivate),
    project: projectFault(project),
    key: KEY.test(key) ? undefined : keyFault(key),
  };
  const found = Object.entries(faults).flatMap(([field, fault]) => (fault === undefined ? [] : [[field, fault]]));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** What was filled in, once {@link connectFaults} has found nothing. */
export function givenIn({ values }: Pick<Sent, "values">): Given {
  const { address = "", project = "", key = "", reach = "named" } = values;
  return { address: address.replace(/\/+$/, ""), project, key, reach };
}

function projectFault(project: string): string | undefined {
  if (PROJECT.test(project)) return undefined;
  return "A project's name has 1 to 63 letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.";
}

function keyFault(key: string): string {
  if (/\s/.test(key)) return "A key has no blanks and no line breaks. Copy it alone.";
  return key === ""
    ? "Paste the key."
    : "A key has letters, digits and the signs - . _ ~ + / alone. Copy it once more.";
}
