import type { IncomingMessage } from "node:http";

/** A call, as its headers describe it. */
export interface Call {
  readonly request: IncomingMessage;
  /** The caller's own request id if it is well formed, otherwise a new one. */
  readonly id: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** The path, decoded; undefined if it has a malformed escape. */
  readonly path: string | undefined;
}

/** An answer as it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** The caller of an admitted call. */
export interface Admission<Caller> {
  readonly caller: Caller;
  /** Headers of the answer, whatever it is. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Decides who may call, before the body is read. */
export interface Gate<Caller> {
  /** @throws {Refusal} if the key is not good, or has no calls left. */
  admit(call: Call): Promise<Admission<Caller>>;
}

/** Something to read, without a key. It takes GET and HEAD. */
export interface Page {
  readonly method: "GET";
  readonly path: string;
  answer(call: Call): Promise<Answer>;
}

/** Something to do, with a key. */
export interface Action<Caller> {
  readonly method: "POST";
  /** The segment before the last may be `:key`, which stands for any text. */
  readonly path: string;
  readonly maxBytes: number;
  readonly gate: Gate<Caller>;
  /** Receives a body that is JSON by its headers, or has no bytes. */
  answer(call: Call, caller: Caller, body: Buffer): Promise<Answer>;
}

/** One address of a listener. */
export type Route<Caller> = Page | Action<Caller>;

/** The addresses of a listener. */
export class Routes<Caller> {
  readonly #byPath: ReadonlyMap<string, Route<Caller>>;

  constructor(routes: readonly Route<Caller>[]) {
    this.#byPath = new Map(routes.map((route) => [route.path, route]));
  }

  /** The route of a path, whatever the method. */
  find(path: string): Route<Caller> | undefined {
    return this.#byPath.get(path) ?? this.#byPath.get(path.replace(/[^/]+(?=\/[^/]*$)/, ":key"));
  }
}

/** The part of a URL before its query. */
export function pathIn(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** A path without escapes; undefined if one of them is malformed. */
export function decodePath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
