// Lets CommonJS programs require() the package in whose folder this runs after its build. What they get is the ES module
// itself, which every supported Node can require: there is one copy of each class, and `instanceof` holds for both. The
// types are repeated in a folder of type commonjs, because TypeScript takes the kind of a module from there.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));

const write = (file, text) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

/** The path of a file as a module or a map names it. */
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
