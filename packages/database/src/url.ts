import { DatabaseError } from "./errors.js";

/** Which database it is, and where. */
type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "sqlite"; readonly file: undefined }
  | { readonly kind: "postgres"; readonly url: string };

/**
 * Reads the URL of a database.
 *
 * @example parseDatabaseUrl("sqlite:./data/media.db") // { kind: "sqlite", file: "./data/media.db" }
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/is.exec(url.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case "sqlite": {
      if (rest === ":memory:") return { kind: "sqlite", file: undefined };
      const file = rest.replace(/^\/\/(?=\/|\.)/, "");
      if (file === "" || file.startsWith("//") || file.includes("\0")) {
        throw new DatabaseError("url", 'After "sqlite:" comes the path of a file, as in sqlite:./data/media.db.');
      }
      return { kind: "sqlite", file };
    }
    case "postgres":
    case "postgresql":
      return { kind: "postgres", url };
    default:
      throw new DatabaseError(
        "url",
        "This is no URL of a database. Write sqlite:./data/media.db, sqlite::memory: or postgres://user@host/name.",
      );
  }
}

/** What whoever looks after a database must know of where it is, whichever it is. */
export interface DatabasePlace {
  /** The file on this machine that it is; undefined where it is none. */
  readonly file: string | undefined;
  /** Whether processes on other machines may use it, too. */
  readonly isShared: boolean;
}

/** Where a database is. */
export function placeOf(url: string): DatabasePlace {
  const address = parseDatabaseUrl(url);
  return address.kind === "sqlite" ? { file: address.file, isShared: false } : { file: undefined, isShared: true };
}
