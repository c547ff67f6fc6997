import { DatabaseError } from "./errors.js";

/** Which database it is, and where. */
type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "sqlite"; readonly file: undefined }
  | {
      readonly kind: "postgres";
      /** As it was given. */
      readonly url: string;
      /** The same for PostgreSQL's client, which does not know `connections`. */
      readonly clientUrl: string;
      /** How many connections a process has at most. */
      readonly connections: number;
    };

const DEFAULT_CONNECTIONS = 10;
const MAX_CONNECTIONS = 1000;

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
        throw invalid("must have the path of a file behind sqlite:, as in sqlite:./data/media.db");
      }
      return { kind: "sqlite", file };
    }
    case "postgres":
    case "postgresql":
      return parsePostgresUrl(url.trim());
    default:
      throw invalid("must be sqlite:<file>, sqlite::memory: or postgres://user@host:5432/name");
  }
}

function parsePostgresUrl(url: string): DatabaseAddress {
  const [, text] = /[?&]connections=([^&]*)/.exec(url) ?? [];
  const connections = text === undefined ? DEFAULT_CONNECTIONS : Number(text);
  if (!Number.isInteger(connections) || connections < 2 || connections > MAX_CONNECTIONS) {
    throw invalid(`must have a number from 2 to ${MAX_CONNECTIONS} as its "connections"`);
  }
  const clientUrl = url.replace(/([?&])connections=[^&]*&?/, "$1");
  // PostgreSQL's client takes an empty host for this machine's.
  if (![clientUrl, clientUrl.replace("@/", "@host/")].some((one) => URL.canParse(one))) {
    throw invalid("must be like postgres://user@host:5432/name");
  }
  return { kind: "postgres", url, clientUrl, connections };
}

/** The URL names no database; `mustBe` says what it must be. The message does not hold the URL. */
class DatabaseUrlError extends DatabaseError {
  readonly mustBe: string;

  constructor(mustBe: string) {
    super("url", `Invalid database URL: ${mustBe}.`);
    this.mustBe = mustBe;
  }
}

const invalid = (mustBe: string): DatabaseError => new DatabaseUrlError(mustBe);

/** What the URL of a database must be, if this one is wrong: "must be sqlite:<file>, …". Does not hold the URL. */
export function databaseUrlFault(url: string): string | undefined {
  try {
    parseDatabaseUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.mustBe;
    throw error;
  }
}

/** What whoever looks after a database must know of where it is, whichever it is. */
export interface DatabasePlace {
  /** The file on this machine that it is; undefined where it is none. */
  readonly file: string | undefined;
  /** Whether processes on other machines may use it, too. */
  readonly isShared: boolean;
  /** How many connections a process has at most; undefined for SQLite, which has none to share out. */
  readonly connections: number | undefined;
}

/** Where a database is. */
export function placeOf(url: string): DatabasePlace {
  const address = parseDatabaseUrl(url);
  return address.kind === "sqlite"
    ? { file: address.file, isShared: false, connections: undefined }
    : { file: undefined, isShared: true, connections: address.connections };
}
