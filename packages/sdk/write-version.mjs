// The version goes into the User-Agent; as a module of its own it needs no import of JSON, which not every runtime has.
import { readFileSync, writeFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
writeFileSync(new URL("src/generated/version.ts", import.meta.url), `export const version = "${version}";\n`);
