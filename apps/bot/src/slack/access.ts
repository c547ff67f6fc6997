import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthorizeResult, AuthorizeSourceData } from "@slack/bolt";
import { ErrorCode, InstallProvider } from "@slack/oauth";
import { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { createInstallationStore, createStateStore, NotInstalledError } from "../installations.js";
import type { Storage } from "../storage/open-storage.js";
import { within } from "../work/turns.js";
import { clientOptionsOf, refusalOf, SCOPES, slackLogger } from "./client.js";
import type { Served } from "./people.js";

/** Provides the token with which the bot acts in a workspace. */
export interface Access {
  authorize(source: AuthorizeSourceData<boolean>): Promise<AuthorizeResult>;
  /** The pages that install the bot in further workspaces; undefined if it serves only one. */
  readonly installer?: {
    /** Redirects a browser to Slack. */
    begin(request: IncomingMessage, response: ServerResponse): Promise<void>;
    /** Handles the browser's return from Slack. */
    end(request: IncomingMessage, response: ServerResponse): Promise<void>;
  };
}

export const INSTALL_PATH = "/slack/install";
export const REDIRECT_PATH = "/slack/oauth_redirect";

// Binds an installation to the browser in which it began.
const STATE_COOKIE = "slack-app-oauth-state";

// The client's own retries take longer, which suits a waiting person but not a start.
const START_MS = 8000;

/** Serves one workspace by its token, or all that install the bot. */
export async function openAccess(config: Config, log: Logger, storage: Storage, now: () => number): Promise<Access> {
  const { access } = config.slack;
  if (access.kind === "token") return accessByToken(access.botToken, config, log);
  return accessByOAuth(access, config, log, storage, now);
}

/** Serves the one workspace of a token; throws if Slack refuses it, or does not answer. */
async function accessByToken(botToken: string, config: Config, log: Logger): Promise<Access> {
  const slack = new WebClient(botToken, clientOptionsOf(config, log));
  try {
    const tested = await within(START_MS, slack.auth.test(), () => new Error(`no answer within ${START_MS} ms`));
    const { team_id: teamId, team, user_id: botUserId, bot_id: botId, enterprise_id: enterpriseId } = tested;
    log.info({ workspace: team }, "Slack knows the bot");
    const known = {
      botToken,
      ...(teamId && { teamId }),
      ...(enterpriseId && { enterpriseId }),
      ...(botUserId && { botUserId }),
      ...(botId && { botId }),
    };
    return { authorize: async () => ({ ...known }) };
  } catch (error) {
    const refusal = refusalOf(error);
    const message = refusal
      ? `Slack refused SLACK_BOT_TOKEN (${refusal.code}). Copy the Bot User OAuth Token again from the app's page "OAuth & Permissions".`
      : `Slack did not answer within ${START_MS / 1000} s. Check the network, and SLACK_API_URL if it is set.`;
    throw new Error(message, { cause: error });
  }
}

/**
 * Slack's client for background work, which obeys Slack's limits itself.
 *
 * @returns undefined if the workspace removed the bot: its data is deleted soon.
 */
export async function backgroundClient(
  access: Access,
  { teamId, enterpriseId, isOrgWide }: Served,
  { config, log }: { config: Config; log: Logger },
): Promise<WebClient | undefined> {
  try {
    const { botToken } = await access.authorize({ teamId, enterpriseId, isEnterpriseInstall: isOrgWide });
    const retries = { rejectRateLimitedCalls: true, retryConfig: { retries: 0 } };
    return new WebClient(botToken, { ...clientOptionsOf(config, log), ...retries });
  } catch (error) {
    if (!(error instanceof NotInstalledError)) throw error;
    return undefined;
  }
}

// Errors caused by the person who installs the app; all others are caused by the bot or Slack.
const THEIRS = new Set<string>([
  ErrorCode.AuthorizationError,
  ErrorCode.InvalidStateError,
  ErrorCode.MissingCodeError,
  ErrorCode.MissingStateError,
]);

/** Serves all workspaces that install the bot. */
function accessByOAuth(
  { clientId, clientSecret, stateSecret, authorizeUrl }: Extract<Config["slack"]["access"], { kind: "oauth" }>,
  config: Config,
  log: Logger,
  storage: Storage,
  now: () => number,
): Access {
  const stores = {
    installationStore: createInstallationStore(storage, now),
    stateStore: createStateStore(storage, stateSecret, now),
  };
  const provider = new InstallProvider({
    ...stores,
    clientId,
    clientSecret,
    authorizationUrl: authorizeUrl,
    logger: slackLogger(log),
    clientOptions: clientOptionsOf(config, log),
    stateCookieName: STATE_COOKIE,
  });
  const options = { scopes: [...SCOPES], redirectUri: `${config.publicUrl}${REDIRECT_PATH}` };
  // The library's own cookie has no SameSite. It is Lax, because the browser returns by a link from Slack.
  const secure = config.publicUrl?.startsWith("https:") ? "; Secure" : "";
  const attributes = `Path=/; Max-Age=600; HttpOnly; SameSite=Lax${secure}`;
  return {
    authorize: (source) => provider.authorize(source),
    installer: {
      async begin(_, response) {
        try {
          const state = await stores.stateStore.generateStateParam(options, new Date());
          const location = await provider.generateInstallUrl(options, true, state);
          response.writeHead(302, { location, "set-cookie": `${STATE_COOKIE}=${state}; ${attributes}` }).end();
        } catch (error) {
          log.error({ err: error }, "failed to begin an installation");
          failedPage(response, 500);
        }
      },
      end: (request, response) =>
        provider.handleCallback(request, response, {
          success: ({ team }, _options, _request, answer) =>
            page(answer, 200, `The bot is in ${team?.name ?? "the workspace"}`, NEXT),
          failure: (error, _options, _request, answer) => {
            const isTheirs = THEIRS.has(error.code);
            log[isTheirs ? "warn" : "error"]({ err: error }, "an installation failed");
            failedPage(answer, isTheirs ? 400 : 500);
          },
        }),
    },
  };
}

const NEXT = "Go to Slack and type <code>/media</code> in any conversation.";
const AGAIN = `<a href="${INSTALL_PATH}">Try again</a>`;

/** The page after a failed installation: 400 if the person did not complete it, 500 if the bot or Slack failed. */
function failedPage(response: ServerResponse, status: 400 | 500): void {
  const reason =
    status === 400
      ? `it was cancelled, took too long, or began in another browser. ${AGAIN}.`
      : `the bot failed. ${AGAIN} in a minute; if it keeps failing, tell the bot's operator.`;
  page(response, status, "The installation failed", `Nothing was installed: ${reason}`);
}

function page(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  const style = "font:16px system-ui;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark";
  response.end(
    `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><body style="${style}"><h1>${escaped(title)}</h1><p>${text}</p></body></html>`,
  );
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
