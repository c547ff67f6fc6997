import { LRUCache } from "lru-cache";

// Clients know few ways to say it.
const known = new LRUCache<string, boolean>({ max: 100, memoMethod: readAcceptEncoding });

/** Whether `Accept-Encoding` welcomes gzip: by its name, or else by `*`, and with a weight above 0. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return acceptEncoding !== undefined && known.memo(String(acceptEncoding));
}

function readAcceptEncoding(acceptEncoding: string): boolean {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = part.toLowerCase().split(";");
    const [, weight = "1"] =
      parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)).find(Boolean) ?? [];
    weights.set(coding.trim(), Number(weight));
  }
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}
