// node .ci/documented.mjs: prints the share of exported declarations that have a doc comment, for each package. Fails if a
// package has less than the share that is given: node .ci/documented.mjs 80
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const least = Number(process.argv[2] ?? 0);
const DECLARATION =
  /^export (?:default )?(?:declare |abstract |async )*(?:function|class|interface|type|const|let|enum) ?\*?\s*([\w$]+)/;

const sourcesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|test|generated)$/.test(entry.name) ? [] : sourcesBelow(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|d)\.tsx?$/.test(entry.name) ? [path] : [];
  });

let hasFailed = false;
for (const group of ["openapi", "packages", "apps"]) {
  const folders = group === "openapi" ? [group] : readdirSync(join(root, group)).map((name) => `${group}/${name}`);
  for (const folder of folders) {
    let [all, documented] = [0, 0];
    for (const path of sourcesBelow(join(root, folder))) {
      const lines = readFileSync(path, "utf8").split("\n");
      for (const [at, line] of lines.entries()) {
        if (!DECLARATION.test(line)) continue;
        all++;
        if (lines[at - 1]?.trimEnd().endsWith("*/")) documented++;
      }
    }
    const share = all === 0 ? 100 : Math.floor((documented * 100) / all);
    hasFailed ||= share < least;
    console.log(`${String(share).padStart(3)} %  ${documented} of ${all}  ${folder}`);
  }
}
process.exitCode = hasFailed ? 1 : 0;
