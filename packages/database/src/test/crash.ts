import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a program in its own process until it ends or is killed; returns its exit code and output. */
export async function runProgram(program: string): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (part: Buffer) => {
    printed += part.toString();
  });
  const [code] = await once(child, "close");
  return { code, printed };
}

/** The first lines of a program that opens databases of notes. */
export const openNotesProgram = `
  import { openDatabase, restoreDatabase } from ${JSON.stringify(import.meta.resolve("@media-ops/database"))};
  const make = { up: (db) => db.schema.createTable("note").addColumn("id", "integer", (c) => c.primaryKey()).addColumn("text", "text").execute() };
  const migrations = { sqlite: { "001-note": make }, postgres: {} };
  const openNotes = (file) => openDatabase("sqlite:" + file, { owner: "test", migrations });
`;

/** Writes notes to a file in a process that is then killed: the notes are in the file's log. */
export async function crashWithNotes(file: string, texts: readonly string[]): Promise<void> {
  await runProgram(`${openNotesProgram}
    const database = await openNotes(${JSON.stringify(file)});
    await database.query.insertInto("note").values(${JSON.stringify(texts.map((text) => ({ text })))}).execute();
    process.kill(process.pid, "SIGKILL");
  `);
}
