// Lets CommonJS programs require() the package in whose folder this runs after the build. They get the ES module
// itself, which every supported Node can require, so that each class exists once and `instanceof` works for both. The
// types are copied to a folder of type commonjs, because TypeScript derives the module kind from the folder.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));

const write = (file, text) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** Returns the relative path of a file for an import or a source map. */
const pathTo = (file, from) => {
  const path = relative(dirname(from), file).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
};

const declarations = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".d.ts"),
);
for (const file of declarations) {
  const copy = join("dist/cjs", file);
  const map = pathTo(join("dist", `${file}.map`), copy);
  const text = readFileSync(join("dist", file), "utf8");
  write(copy, text.replace(/^(\/\/# sourceMappingURL=).*$/m, `$1${map}`));
}
for (const entry of Object.values(exports)) {
  if (typeof entry !== "object") continue;
  const module = pathTo(entry.import.default, entry.require.default);
  write(entry.require.default, `module.exports = require(${JSON.stringify(module)});\n`);
}
write("dist/cjs/package.json", `${JSON.stringify({ type: "commonjs" })}\n`);
