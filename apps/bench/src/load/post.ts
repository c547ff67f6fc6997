/** What a POST is made of. */
export interface Post {
  readonly path: string;
  /** An API key or an intake key. */
  readonly key: string;
  /** JSON. */
  readonly body: string;
  /** Whole lines, beside those that every one has. */
  readonly headers?: readonly string[];
}

/** A request as it goes over the wire. */
export function toPost({ path, key, body, headers = [] }: Post): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}
