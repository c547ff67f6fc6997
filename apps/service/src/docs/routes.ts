import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { contractText, extensionsText } from "@media-ops/openapi/contract";
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
<noscript>This page needs JavaScript. The contract itself is at <a href="openapi.yaml">openapi.yaml</a>, and what
goes beyond it at <a href="extensions.yaml">extensions.yaml</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/swagger-ui-standalone-preset.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// Operations are called on the server of the page, regardless of the contract's default URL.
const script = `const here = new URL(".", location.href).href.replace(/\\/$/, "");
SwaggerUIBundle({
  urls: [
    { name: "Operations", url: "openapi.yaml" },
    { name: "Extensions", url: "extensions.yaml" },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: "StandaloneLayout",
  dom_id: "#contract",
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  responseInterceptor(response) {
    if (response.url.endsWith(".yaml") && typeof response.text === "string") {
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

const asset = (name: string) => (): Buffer => readFileSync(join(assets, name));

/** The path, type and body of each file; a body is read and hashed on the first request. */
const files: readonly (readonly [path: string, type: string, read: () => string | Buffer])[] = [
  ["/openapi.yaml", "application/yaml", () => contractText],
  // The first document is served under another name than it has in the repository.
  ["/extensions.yaml", "application/yaml", () => extensionsText.replaceAll("./media.yaml#", "./openapi.yaml#")],
  ["/docs", "text/html", () => page],
  ["/docs/start.js", "text/javascript", () => script],
  ["/docs/swagger-ui-bundle.js", "text/javascript", asset("swagger-ui-bundle.js")],
  ["/docs/swagger-ui-standalone-preset.js", "text/javascript", asset("swagger-ui-standalone-preset.js")],
  ["/docs/swagger-ui.css", "text/css", asset("swagger-ui.css")],
];

/** Serves the contract and its extensions, and a page to read them and try the operations. The page loads nothing from other sites. */
export const docsRoutes = (): Page[] =>
  files.map(([path, type, read]) => {
    let file: { body: string | Buffer; etag: string } | undefined;
    const load = () => {
      const body = read();
      return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
    };
    return {
      method: "GET",
      path,
      async answer({ request }) {
        file ??= load();
        const { body, etag } = file;
        if (request.headers["if-none-match"] === etag) return { status: 304, headers: { ...headers, etag }, body: "" };
        return { status: 200, headers: { ...headers, etag, "content-type": `${type}; charset=utf-8` }, body };
      },
    };
  });
