// The end of the year 9999.
const LAST_MS = 253_402_300_799_999;

/** A time as each reader's own clock has it, in Slack's own markup. */
export function slackDate(ms: number): string {
  if (!(ms >= 0 && ms <= LAST_MS)) return `${ms / 1000} s after 1970`;
  const iso = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return `<!date^${Math.floor(ms / 1000)}^{date_short_pretty} {time_secs}|${iso}>`;
}
