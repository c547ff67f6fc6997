import { DatabaseError } from "./errors.js";

/** A database in PostgreSQL. */
export interface PostgresAddress {
  readonly kind: "postgres";
  /** Without `connections`, which PostgreSQL's client does not know. */
  readonly url: string;
  readonly connections: number;
}

/** The kind and location of a database. An SQLite database without a file is in memory. */
type DatabaseAddress = { readonly kind: "sqlite"; readonly file: string | undefined } | PostgresAddress;

const DEFAULT_CONNECTIONS = 10;
const MAX_CONNECTIONS = 1000;

/** Reads the URL of a database. @throws {DatabaseError} which does not hold the URL. */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const address = tryParse(url.trim());
  if ("mustBe" in address) throw new DatabaseError("url", `Invalid database URL: ${address.mustBe}.`);
  return address;
}

/** Why a database URL is invalid: "must be sqlite:<file>, …"; undefined if it is valid. Never holds the URL. */
export function databaseUrlFault(url: string): string | undefined {
  const address = tryParse(url.trim());
  return "mustBe" in address ? address.mustBe : undefined;
}

function tryParse(url: string): DatabaseAddress | { readonly mustBe: string } {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/is.exec(url) ?? [];
  if (/^postgres(ql)?$/i.test(scheme)) return tryParsePostgres(url);
  if (scheme.toLowerCase() !== "sqlite") {
    return { mustBe: "must be sqlite:<file>, sqlite::memory: or postgres://user@host:5432/name" };
  }
  if (rest === ":memory:") return { kind: "sqlite", file: undefined };
  const file = rest.replace(/^\/\/(?=\/|\.)/, "");
  if (file !== "" && !file.startsWith("//") && !file.includes("\0")) return { kind: "sqlite", file };
  return { mustBe: "must have the path of a file behind sqlite:, as in sqlite:./data/media.db" };
}

function tryParsePostgres(given: string): PostgresAddress | { readonly mustBe: string } {
  const [, text] = /[?&]connections=([^&]*)/.exec(given) ?? [];
  const connections = text === undefined ? DEFAULT_CONNECTIONS : Number(text);
  if (!Number.isInteger(connections) || connections < 2 || connections > MAX_CONNECTIONS) {
    return { mustBe: `must have a number from 2 to ${MAX_CONNECTIONS} as its "connections"` };
  }
  const url = given.replace(/([?&])connections=[^&]*&?/, "$1");
  // PostgreSQL's client resolves an empty host to this machine.
  const isValid = [url, url.replace("@/", "@host/")].some((one) => URL.canParse(one));
  return isValid ? { kind: "postgres", url, connections } : { mustBe: "must be like postgres://user@host:5432/name" };
}

/** The file on this machine, whether other machines can use the database, and PostgreSQL's connections of a process. */
export function placeOf(url: string): { file: string | undefined; isShared: boolean; connections: number | undefined } {
  const address = parseDatabaseUrl(url);
  return address.kind === "sqlite"
    ? { file: address.file, isShared: false, connections: undefined }
    : { file: undefined, isShared: true, connections: address.connections };
}
