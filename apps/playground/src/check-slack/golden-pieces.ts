import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, type Piece } from "./piece.js";

const GOLDEN = join(import.meta.dirname, "../../../../packages/formatters/golden");

/** The golden files of the formatters; the details of an entry as the window in which the bot shows them. */
export async function goldenPieces(folder = GOLDEN): Promise<Piece[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".slack.json")).sort();
  return Promise.all(
    files.map(async (file): Promise<Piece> => {
      const message: unknown = JSON.parse(await readFile(join(folder, file), "utf8"));
      if (!isObject(message)) throw new TypeError(`${file} holds no message.`);
      const name = `golden/${file}`;
      if (!file.includes(".detail.")) return { name, kind: "message", payload: message };
      const title = { type: "plain_text", text: "Entry" };
      return { name, kind: "view", payload: { type: "modal", title, blocks: message.blocks } };
    }),
  );
}
