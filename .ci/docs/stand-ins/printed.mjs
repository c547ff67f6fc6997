// printed <regular expression>: the last of what was printed so far that is like it, or its first group. The tests put it
// in for what readers would copy from above.
import { readFileSync } from "node:fs";

const pattern = new RegExp(process.argv[2] ?? "", "gm");
const found = [...readFileSync(process.env.DOCS_PRINTED ?? "", "utf8").matchAll(pattern)].at(-1);
if (!found) {
  console.error(`Nothing was printed that is like ${pattern}.`);
  process.exit(1);
}
console.log(found[1] ?? found[0]);
