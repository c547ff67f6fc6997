import { DatabaseError } from "./errors.js";

/** Where a database is. */
export type DatabaseAddress =
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
