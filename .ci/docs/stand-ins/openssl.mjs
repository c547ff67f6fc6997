// openssl rand -hex <bytes>
import { randomBytes } from "node:crypto";

const [command, format, bytes] = process.argv.slice(2);
if (command !== "rand" || format !== "-hex" || !/^\d+$/.test(bytes ?? "")) {
  console.error(`openssl ${process.argv.slice(2).join(" ")}: the stand-in knows only "rand -hex <bytes>".`);
  process.exit(2);
}
console.log(randomBytes(Number(bytes)).toString("hex"));
