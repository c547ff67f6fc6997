import { botPieces } from "./bot-pieces.js";
import { checkSlack } from "./check-slack.js";
import { goldenPieces } from "./golden-pieces.js";

const pieces = [...(await goldenPieces()), ...(await botPieces())];
process.exitCode = await checkSlack(pieces, {
  apiUrl: process.env.SLACK_API_URL || undefined,
  say: (text) => void process.stdout.write(`${text}\n`),
});
