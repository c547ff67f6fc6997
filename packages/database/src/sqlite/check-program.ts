// Runs as a process of its own, which can be ended at any moment, and prints what SQLite finds wrong with a file: "ok" if
// nothing is.
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
