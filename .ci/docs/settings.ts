import { join } from "node:path";
import type { Ports } from "./ports.js";

/** Settings by root script. */
export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What puts our programs onto the ports of a test. */
export function settingsFor({ service, intake, bot }: Ports, folder: string): Settings {
  const servicePorts = { MEDIA_PORT: String(service), MEDIA_INTAKE_PORT: String(intake) };
  return {
    media: { MEDIA_BASE_URL: `http://127.0.0.1:${service}` },
    // A machine that runs all tests is late at times.
    "media-ops": { ...servicePorts, MEDIA_MAX_LAG_MS: "0" },
    start: {
      PLAYGROUND_DATA: join(folder, ".data"),
      // It says where it is: others start at the same time.
      PLAYGROUND_PORTS: "any",
      // Whatever stands in a file .env of the repository that is tested, the real Slack is left alone.
      ...{ SLACK_BOT_TOKEN: "", SLACK_APP_TOKEN: "", SLACK_CLIENT_ID: "" },
    },
    "media-bot": { BOT_PORT: String(bot) },
  };
}
