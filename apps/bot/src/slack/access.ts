import { createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthorizeResult, AuthorizeSourceData } from "@slack/bolt";
import {
  ErrorCode,
  type Installation,
  type InstallationQuery,
  type InstallationStore,
  InstallProvider,
  type InstallURLOptions,
  InvalidStateError,
  type StateStore,
} from "@slack/oauth";
import { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import type { BotParts } from "../request.js";
import type { Storage } from "../storage/open-storage.js";
import { within } from "../work/jobs.js";
import { clientOptionsOf, refusalOf, SCOPES, slackLogger } from "./client.js";
import type { Served } from "./people.js";

/** The app is not installed in a workspace, or was removed from it. */
export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";

  constructor(where: string) {
    super(`The app is not installed in ${where}. Someone must add it to the workspace first.`);
  }
}

/** The purpose that an installation is encrypted for. */
export const installationPurpose = (id: string): string => `installation ${id}`;

/** Stores each workspace's installation, encrypted, for all bot processes. */
export function createInstallationStore({ query, vault }: Storage, now: () => number): Required<InstallationStore> {
  return {
    async storeInstallation(installation) {
      const id = idOf({
        isEnterpriseInstall: installation.isEnterpriseInstall === true,
        teamId: installation.team?.id,
        enterpriseId: installation.enterprise?.id,
      });
      const sealed = await vault.seal(JSON.stringify(installation), installationPurpose(id));
      const row = { sealed, installed_at: now() };
      await query
        .insertInto("installation")
        .values({ team_id: id, ...row })
        .onConflict((conflict) => conflict.column("team_id").doUpdateSet(row))
        .execute();
    },

    async fetchInstallation(wanted) {
      const id = idOf(wanted);
      const row = await query.selectFrom("installation").select("sealed").where("team_id", "=", id).executeTakeFirst();
      if (!row) throw new NotInstalledError(id);
      // Only the bot can have encrypted it, so its shape is known.
      const installation: Installation = JSON.parse(await vault.open(row.sealed, installationPurpose(id)));
      return installation;
    },

    async deleteInstallation(wanted) {
      await query.deleteFrom("installation").where("team_id", "=", idOf(wanted)).execute();
    },
  };
}

/** An organization that installed the app for all of its workspaces has one installation. */
function idOf({
  isEnterpriseInstall,
  teamId,
  enterpriseId,
}: Pick<InstallationQuery<boolean>, "isEnterpriseInstall" | "teamId" | "enterpriseId">): string {
  const id = isEnterpriseInstall ? enterpriseId : teamId;
  if (id) return id;
  throw new NotInstalledError(isEnterpriseInstall ? "an organization without an id" : "a workspace without an id");
}

// Slack's own pages allow the same time for an installation.
const STATE_MS = 10 * 60_000;

const statePurpose = (hash: string): string => `oauth state ${hash}`;

/** Stores an installation until the browser returns its state, of which it stores only a keyed hash. */
export function createStateStore({ query, vault }: Storage, stateSecret: string, now: () => number): StateStore {
  const hashOf = (state: string): string => createHmac("sha256", stateSecret).update(state).digest("base64url");
  return {
    async generateStateParam(installOptions) {
      const state = randomBytes(32).toString("base64url");
      const hash = hashOf(state);
      const sealed = await vault.seal(JSON.stringify(installOptions), statePurpose(hash));
      await query
        .insertInto("oauth_state")
        .values({ hash, sealed, until: now() + STATE_MS })
        .execute();
      return state;
    },

    async verifyStateParam(_, state) {
      const hash = hashOf(state);
      const row = await query
        .deleteFrom("oauth_state")
        .where("hash", "=", hash)
        .returning(["sealed", "until"])
        .executeTakeFirst();
      if (!row || row.until <= now()) {
        throw new InvalidStateError("This installation is too old, or was finished before. Begin again.");
      }
      // Only the bot can have encrypted it, so its shape is known.
      const installOptions: InstallURLOptions = JSON.parse(await vault.open(row.sealed, statePurpose(hash)));
      return installOptions;
    },
  };
}

/** What is deleted of a workspace that removed the bot; of its watches, `watch_team` first, as in all transactions. */
const FORGOTTEN = [
  ...(["connection", "connection_default", "watch_team", "watch", "watch_follower", "watch_incident"] as const),
  ...(["digest", "question", "token_request"] as const),
];

/** Deletes a workspace's data after it removed the bot: Slack's token, the keys of its projects, and what they are for. */
export function forgetWorkspace({ query }: Storage, { config, log }: Pick<BotParts, "config" | "log">) {
  return async (teamId: string, removedAt: number): Promise<void> => {
    // If the token is in the environment, the operator may restart the bot with another one.
    if (config.slack.access.kind === "token") return;
    const isForgotten = await query.transaction().execute(async (transaction) => {
      const installation = await transaction
        .selectFrom("installation")
        .select("installed_at")
        .where("team_id", "=", teamId)
        .executeTakeFirst();
      // Slack may send the event after the bot was added again; its times are in seconds.
      if (installation && installation.installed_at >= removedAt + 1000) return false;
      for (const table of FORGOTTEN) await transaction.deleteFrom(table).where("team_id", "=", teamId).execute();
      await transaction
        .deleteFrom("installation")
        .where("team_id", "=", teamId)
        .where("installed_at", "<", removedAt + 1000)
        .execute();
      return true;
    });
    if (isForgotten) log.info({ teamId }, "a workspace removed the bot; its token and its API keys are deleted");
  };
}

/** Provides the token with which the bot acts in a workspace. */
export interface Access {
  authorize(source: AuthorizeSourceData<boolean>): Promise<AuthorizeResult>;
  /** The pages that install the bot in further workspaces; undefined if it serves only one. */
  readonly installer?: {
    begin(request: IncomingMessage, response: ServerResponse): Promise<void>;
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

/** Slack's client for background work, which obeys Slack's limits; undefined if the workspace removed the bot. */
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
