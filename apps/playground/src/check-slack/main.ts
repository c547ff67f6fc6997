import { checkSlack } from "./ask-slack.js";
import { botPieces, goldenPieces } from "./tour.js";

const pieces = [...(await goldenPieces()), ...(await botPieces())];
process.exitCode = await checkSlack(pieces, {
  apiUrl: process.env.SLACK_API_URL || undefined,
  say: (text) => void process.stdout.write(`${text}\n`),
});
