// The version for the User-Agent; in its own module, because not every runtime can import JSON.
import { readFileSync, writeFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
writeFileSync(new URL("src/generated/version.ts", import.meta.url), `export const version = "${version}";\n`);
