// Not every machine has curl. This knows no options but these, and reaches this machine alone.
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    request: { type: "string", short: "X", default: "GET" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
  },
});
const [url = "", ...more] = positionals;
if (more.length > 0 || new URL(url).hostname !== "127.0.0.1") throw new Error(`curl ${positionals.join(" ")}`);
const headers = values.header.map((header) => header.split(": "));
// As curl has it where no header says otherwise.
if (values.data !== undefined && !/^content-type:/im.test(values.header.join("\n"))) {
  headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
}
const response = await fetch(url, { method: values.request, headers, body: values.data });
console.log(await response.text());
