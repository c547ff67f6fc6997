import { shownUrl, webAddress, yesOrNo } from "@media-ops/settings";
import { addressFault } from "../connections/public-addresses.js";

/** The variables that are set. */
type Given = Readonly<Record<string, string | undefined>>;

const oauth = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_STATE_SECRET"] as const;
const media = ["MEDIA_BASE_URL", "MEDIA_API_KEY", "MEDIA_PROJECT_ID"] as const;

/** What is wrong with the variables together, whatever each of them says. */
export function contradictionsIn(given: Given): string[] {
  return [...wrongAccess(given), ...wrongAddresses(given), ...wrongMedia(given), ...wrongMasterKey(given)];
}

function wrongAccess(given: Given): string[] {
  const isOAuth = oauth.some((name) => given[name]);
  if (given.SLACK_BOT_TOKEN) {
    return isOAuth
      ? [`SLACK_BOT_TOKEN is for one workspace, and ${oauth.join(", ")} are for many; set one or the other`]
      : [];
  }
  if (isOAuth) return missing(given, oauth);
  return [`SLACK_BOT_TOKEN is missing; to serve many workspaces set ${oauth.join(", ")} instead`];
}

function wrongAddresses(given: Given): string[] {
  const problems: string[] = [];
  if (!given.SLACK_SIGNING_SECRET && !given.SLACK_APP_TOKEN) {
    problems.push("SLACK_SIGNING_SECRET is missing; only with Socket Mode (SLACK_APP_TOKEN) can it be left out");
  }
  if (!isForMany(given)) return problems;
  if (!given.BOT_PUBLIC_URL) {
    problems.push("BOT_PUBLIC_URL is missing: browsers come back to it when the app is installed");
  }
  if (given.BOT_AUDIT_CHANNEL && !given.BOT_AUDIT_CHANNEL.includes(":")) {
    problems.push("BOT_AUDIT_CHANNEL names one channel for many workspaces; write T01:C01,T02:C02");
  }
  return problems;
}

function wrongMedia(given: Given): string[] {
  if (!media.some((name) => given[name])) return [];
  return [...wrongBaseUrl(given), ...wrongMediaAccess(given)];
}

function wrongBaseUrl({ MEDIA_BASE_URL: url, BOT_ALLOW_PRIVATE_ADDRESSES: allow }: Given): string[] {
  const isPublicOnly = allow !== undefined && yesOrNo.safeParse(allow).data === false;
  // What is wrong with the URL by itself is said with it.
  if (!url || !isPublicOnly || !webAddress.safeParse(url).success || !addressFault(url, false)) return [];
  return [
    `MEDIA_BASE_URL must be a public address with https:// (BOT_ALLOW_PRIVATE_ADDRESSES=false), but is ${shownUrl(url)}.`,
  ];
}

function wrongMediaAccess(given: Given): string[] {
  if (!isForMany(given)) return missing(given, media);
  return [`${media.join(", ")} would give the project to every workspace that installs the app; use /media connect`];
}

/** What is wrong with where the master key is. */
export function wrongMasterKey(given: Given): string[] {
  if (!given.BOT_MASTER_KEY || !given.BOT_MASTER_KEY_FILE) return [];
  return ["BOT_MASTER_KEY and BOT_MASTER_KEY_FILE are both set. Set one of them."];
}

const isForMany = (given: Given): boolean => !given.SLACK_BOT_TOKEN && oauth.some((name) => given[name]);

/** Of variables that belong together, those that are not set. */
function missing(given: Given, names: readonly string[]): string[] {
  return names.filter((name) => !given[name]).map((name) => `${name} is missing; it belongs to ${others(names, name)}`);
}

const others = (names: readonly string[], name: string): string =>
  names.filter((other) => other !== name).join(" and ");
