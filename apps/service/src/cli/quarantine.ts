import { listQuarantine } from "../intake/quarantine.js";
import type { Command } from "./command.js";
import { readLimit } from "./filters.js";
import { printable } from "./printable.js";

const SHOWN_CHARACTERS = 500;

export const quarantineCommand: Command = {
  name: "intake quarantine",
  parameters: [],
  options: [{ name: "limit", value: "<number>", summary: "how many, the newest first; by itself 20" }],
  summary: "Shows what the media server sent that could not be taken in, and why. The last 1000 are kept.",
  help: "Tokens are taken out of the bodies. A long body is cut, but for --json.",
  async run({ withStorage }, _, { values }) {
    const limit = readLimit(values.limit, { byItself: 20, most: 1000 });
    return withStorage(async ({ query }) => {
      const rejected = await listQuarantine(query, limit);
      return {
        text:
          rejected.length === 0
            ? "Everything that the media server has sent was taken in."
            : rejected
                .map(({ at, path, keyId, reason, body }) =>
                  [
                    `${at}  ${printable(path)}  intake key ${printable(keyId)}`,
                    `  ${printable(reason, SHOWN_CHARACTERS)}`,
                    `  ${printable(body, SHOWN_CHARACTERS)}`,
                  ].join("\n"),
                )
                .join("\n\n"),
        json: rejected.map(({ id, at, path, keyId, reason, body }) => ({
          id,
          at,
          path,
          intake_key_id: keyId,
          reason,
          body,
        })),
      };
    });
  },
};
