// Runs as a separate process: callers with a wrong API key, each in a closed loop, that reconnect when their connection
// is closed. Reports its counts on a message. Exits when its parent disconnects, and after a minute in any case.
import { connect } from "node:net";

const [port, callers, path] = process.argv.slice(2);
const body = "{}";
const request = [
  `POST ${path} HTTP/1.1`,
  "Host: media.test",
  "Content-Type: application/json",
  `Authorization: Bearer mo_${"0".repeat(16)}_${"A".repeat(43)}`,
  `Content-Length: ${body.length}`,
  "",
  body,
].join("\r\n");
const counts = { called: 0, answered: 0, cutOff: 0 };
// A caller that is refused at once would otherwise only reconnect, and use up the processor.
const PAUSE_MS = 10;

function call() {
  const socket = connect(Number(port), "127.0.0.1");
  counts.called += 1;
  let seen = "";
  socket.on("connect", () => socket.write(request));
  socket.on("data", (bytes) => {
    seen += bytes.toString("latin1");
    const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(seen) ?? [];
    const end = seen.indexOf("\r\n\r\n");
    if (length === undefined || end < 0 || seen.length < end + 4 + Number(length)) return;
    counts.answered += 1;
    seen = "";
    socket.write(request);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    counts.cutOff += 1;
    setTimeout(call, PAUSE_MS);
  });
}

for (let caller = 0; caller < Number(callers); caller++) setTimeout(call, caller / 10);
process.on("message", () => process.send?.(counts));
process.on("disconnect", () => process.exit());
setTimeout(() => process.exit(), 60_000);
