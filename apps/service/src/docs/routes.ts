import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { contractText } from "@media-ops/openapi/contract";
import { LRUCache } from "lru-cache";
import type { Page } from "../http/route.js";

const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

// URLs are relative: a proxy may put the service below a path.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Media Ops API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="contract"></main>
<noscript>This page needs JavaScript. The contract itself is at <a href="openapi.yaml">openapi.yaml</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// Operations are called on the server of the page, whatever the contract's default URL is.
const script = `const here = new URL(".", location.href).href.replace(/\\/$/, "");
SwaggerUIBundle({
  url: "openapi.yaml",
  dom_id: "#contract",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url.endsWith("/openapi.yaml") && typeof response.text === "string") {
      const text = response.text.replace("http://127.0.0.1:8080", here);
      response.text = text;
      response.data = text;
    }
    return response;
  },
});
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI sets styles from its script.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "cache-control": "no-cache",
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

interface Text {
  readonly type: string;
  load(): Promise<string | Buffer>;
}

const texts: Readonly<Record<string, Text>> = {
  "/openapi.yaml": { type: "application/yaml; charset=utf-8", load: async () => contractText },
  "/docs": { type: "text/html; charset=utf-8", load: async () => page },
  "/docs/start.js": { type: "text/javascript; charset=utf-8", load: async () => script },
  "/docs/swagger-ui-bundle.js": {
    type: "text/javascript; charset=utf-8",
    load: () => readAsset("swagger-ui-bundle.js"),
  },
  "/docs/swagger-ui.css": { type: "text/css; charset=utf-8", load: () => readAsset("swagger-ui.css") },
};

const readAsset = (name: string): Promise<Buffer> => readFile(join(assets, name));

/** The contract, and a page to read it and try its operations. The page loads nothing from other sites. */
export const docsRoutes: readonly Page[] = Object.entries(texts).map(([path, { type, load }]) => {
  // Read at the first call, and then kept: it does not change while the service runs.
  const loaded = new LRUCache<string, { body: string | Buffer; etag: string }>({
    max: 1,
    fetchMethod: async () => {
      const body = await load();
      return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
    },
  });
  return {
    method: "GET",
    path,
    async answer({ request }) {
      const { body, etag } = await loaded.forceFetch(path);
      if (request.headers["if-none-match"] === etag) return { status: 304, headers: { ...headers, etag }, body: "" };
      return { status: 200, headers: { ...headers, etag, "content-type": type }, body };
    },
  };
});
