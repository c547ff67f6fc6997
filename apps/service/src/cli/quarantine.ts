import { listQuarantine } from "../intake/quarantine.js";
import { type Command, printable, readLimit } from "./command.js";

const SHOWN_CHARACTERS = 500;

/** `intake quarantine`. */
export const quarantineCommand: Command = {
  name: "intake quarantine",
  parameters: [],
  options: [{ name: "limit", value: "<number>", summary: "how many, the newest first; 20 by default" }],
  summary: "Shows events of the media server that were rejected, and why. The last 1000 are kept.",
  help: "Tokens are removed from the bodies. Long bodies are cut, except with --json.",
  async run({ open }, _, { values }) {
    const limit = readLimit(values.limit, { standard: 20, most: 1000 });
    const { query } = await open();
    const rejected = await listQuarantine(query, limit);
    const paragraphs = rejected.map(({ at, path, keyId, reason, body }) =>
      [
        `${at}  ${printable(path)}  intake key ${printable(keyId)}`,
        `  ${printable(reason, SHOWN_CHARACTERS)}`,
        `  ${printable(body, SHOWN_CHARACTERS)}`,
      ].join("\n"),
    );
    return {
      text: paragraphs.join("\n\n") || "No event of the media server was rejected.",
      json: rejected.map(({ keyId, ...event }) => ({ ...event, intake_key_id: keyId })),
    };
  },
};
