import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { contractText } from "@media-ops/openapi/contract";
import type { App } from "../http/create-app.js";

const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const types = {
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "swagger-ui.css": "text/css; charset=utf-8",
} as const;

// Addresses are relative: a proxy may put the service below a path.
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

// What is tried goes to where the page comes from, whatever the contract's default address is.
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

interface Loaded {
  readonly body: string | Buffer;
  readonly etag: string;
}

function withEtag(body: string | Buffer): Loaded {
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
}

/** The contract as it is, and as a page to read and to try. Nothing on the page comes from elsewhere. */
export function registerDocs(app: App): void {
  const serve = (path: string, type: string, load: () => Promise<string | Buffer>): void => {
    let loaded: Promise<Loaded> | undefined;
    app.get(path, async (request, reply) => {
      // The first time it is asked for, and then kept: it does not change while the service runs.
      loaded ??= load().then(withEtag);
      const { body, etag } = await loaded.catch((error) => {
        loaded = undefined;
        throw error;
      });
      reply.headers({
        etag,
        "cache-control": "no-cache",
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();
      return reply.type(type).send(body);
    });
  };
  serve("/openapi.yaml", "application/yaml; charset=utf-8", async () => contractText);
  serve("/docs", "text/html; charset=utf-8", async () => page);
  serve("/docs/start.js", "text/javascript; charset=utf-8", async () => script);
  for (const [name, type] of Object.entries(types)) {
    serve(`/docs/${name}`, type, () => readFile(join(assets, name)));
  }
}
