// Runs in its own process, which can be killed at any moment, and prints the damage that SQLite finds in a file: "ok"
// if there is none.
import { messageOf } from "../errors.js";
import { Session } from "./session.js";

const [file] = process.argv.slice(2);
try {
  const session = new Session(file, "look");
  process.stdout.write(String(session.pragma("quick_check(1)")));
  session.close();
} catch (error) {
  process.stdout.write(messageOf(error));
}
