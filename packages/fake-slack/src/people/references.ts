import { escapeMarkup } from "../http.js";
import type { Team } from "../world/model.js";

/** A reference as Slack writes it, which its own pickers insert. */
const REFERENCE = /(<(?:#C\w+|@U\w+|!subteam\^\w+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>)/;

/** Escapes a typed text, except for references. */
export function escaped(text: string): string {
  return text.split(REFERENCE).map(unlessReference(escapeMarkup)).join("");
}

const TYPED_LINK = /https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)]/.source;
const TYPED_NAME = /(?<![\p{L}\p{N}_.-])([#@])([\p{L}\p{N}._-]*[\p{L}\p{N}_-])/u.source;
const TYPED = new RegExp(`(${TYPED_LINK})|${TYPED_NAME}`, "gu");

/** Replaces links, and the names of public channels and people, by references, as in an app's escaped commands. */
export function withReferences({ channels, users }: Team, text: string): string {
  const referenceTo = (typed: string, link: string | undefined, sign: string, name: string): string => {
    if (link !== undefined) return `<${link}>`;
    const channel = [...channels.values()].find((one) => one.kind === "public" && one.name === name);
    const user = [...users.values()].find((one) => !one.isDeleted && one.name === name);
    const found = sign === "#" ? channel : user;
    return found ? `<${sign}${found.id}|${name}>` : typed;
  };
  const replaced = (part: string): string => part.replace(TYPED, referenceTo);
  return text.split(REFERENCE).map(unlessReference(replaced)).join("");
}

/** Applies a change to the parts between the references of a split text. */
const unlessReference = (change: (text: string) => string) => (part: string, index: number) =>
  index % 2 === 1 ? part : change(part);
