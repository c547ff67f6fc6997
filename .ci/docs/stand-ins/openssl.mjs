// openssl rand -hex <bytes>, or -base64
import { randomBytes } from "node:crypto";

const [command, format, bytes] = process.argv.slice(2);
const formats = { "-hex": "hex", "-base64": "base64" };
if (command !== "rand" || !Object.hasOwn(formats, format ?? "") || !/^\d+$/.test(bytes ?? "")) {
  console.error(
    `openssl ${process.argv.slice(2).join(" ")}: the stand-in knows only "rand -hex <bytes>" and "rand -base64 <bytes>".`,
  );
  process.exit(2);
}
console.log(randomBytes(Number(bytes)).toString(formats[format]));
