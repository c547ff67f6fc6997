/** A request for a listing, as it goes over the wire. */
export function toListing(path: string, apiKey: string, headers: readonly string[] = []): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    "Content-Length: 2",
    ...headers,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n{}`);
}
