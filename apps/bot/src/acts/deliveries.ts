import { setTimeout as wait } from "node:timers/promises";
import { capital, deliveriesRequest, nothingToResend, resendableRequest, resendRequest } from "@media-ops/commands";
import { formatCount, resendOutcomeWords } from "@media-ops/formatters";
import {
  escapeMrkdwn,
  formatDeliveries,
  formatDelivery,
  formatEnabled,
  formatEndpoints,
  formatResent,
} from "@media-ops/formatters/slack";
import type { Delivery } from "@media-ops/sdk";
import { type CommandNamed, language } from "../language.js";
import { openProjectOf } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, plainSection, Refused } from "../slack/answer.js";
import {
  type Act,
  actButton,
  announceAct,
  commandButton,
  MOST_IN_WINDOW,
  MOST_SHOWN,
  mayDo,
  operationOptions,
  type Scene,
  sceneOf,
  withControls,
} from "./act.js";

/** `/media deliveries`: webhook deliveries, each with a button that sends it again, for those who may. */
export async function deliveries(command: CommandNamed<"deliveries">, request: Request): Promise<Draft> {
  const { now, timeZone } = request;
  const project = await openProjectOf(command, request);
  const scene = sceneOf(project, request);
  const limit = Math.min(command.last ?? MOST_SHOWN, MOST_SHOWN);
  const listed = { ...deliveriesRequest(command, operationOptions(scene)), limit };
  const found = await scene.need("deliveries", (client, options) => client.deliveries.list(listed, options));
  const mayResend = await mayDo("resend", request);
  const again = ({ delivery_id: id, state }: Delivery, at: number) =>
    mayResend && state !== "waiting"
      ? actButton("Send again…", String(at), { name: "resend", id, is: "delivery", in: project.id })
      : undefined;
  const refresh = commandButton("Refresh", "refresh", { ...command, in: project.id });
  const times = { now: now(), timeZone };
  const isNamed = command.id !== undefined || command.event !== undefined;
  const [only] = found.deliveries;
  // One that was asked for by its id is shown with each of its attempts.
  if (isNamed && only) return withControls(formatDelivery(only, times), refresh, again(only, 0));
  const message = formatDeliveries(found.deliveries, {
    ...times,
    title: capital(language.describe(command, { project: project.id, ...times })),
    hasMore: found.next_cursor !== undefined,
    atMost: limit,
    button: (delivery) => again(delivery, found.deliveries.indexOf(delivery)),
  });
  return withControls(message, refresh);
}

/** A button that sends the webhook of a log entry again; undefined if the entry doesn't name its event. */
export function resendButton(entry: object, projectId: string) {
  const { event_id: id } = entry as { event_id?: unknown };
  if (typeof id !== "string" || id === "") return undefined;
  return actButton("Send again…", "resend", { name: "resend", id, is: "event", in: projectId });
}

/** `/media resend`: sends a webhook again, or all that failed since a time. */
export function resending(command: CommandNamed<"resend">): Act {
  const { id, since } = command;
  /** The deliveries that it would send again: the one that it names, or those that have failed. */
  const affected = (scene: Scene) => {
    const wanted = resendableRequest(resendRequest(command, operationOptions(scene)));
    return scene.need("deliveries", (client, options) => client.deliveries.list(wanted, options));
  };
  return {
    title: id === undefined ? "Send webhooks again" : "Send a webhook again",
    submit: "Send again",
    right: "resend",
    doing: "send webhooks again",
    record: {
      action: "deliveries.resend",
      subject: id ?? (since === undefined ? undefined : `since ${new Date(since).toISOString()}`),
    },
    async look(scene) {
      const { now, timeZone } = scene.request;
      const { deliveries: found, next_cursor: next } = await affected(scene);
      const [only] = found;
      if (!only) return { blocks: [plainSection(nothingToResend(command))], isPossible: false };
      const times = { now: now(), timeZone };
      if (id !== undefined) {
        const words = "It is sent now, with the same webhook-id as before, so that its receiver recognises a repeat.";
        return { blocks: [...formatDelivery(only, times).blocks, plainSection(words)] };
      }
      const count = `${next === undefined ? "" : "at least "}${formatCount(found.length)}`;
      const title = `To be sent again: ${count} ${found.length === 1 ? "webhook" : "webhooks"}, project ${scene.project.id}`;
      const { blocks } = formatDeliveries(found, { ...times, title, atMost: MOST_IN_WINDOW });
      const words =
        "They are sent in their order, with the same webhook-ids as before, and no faster than their receiver can take.";
      return { blocks: [...blocks, plainSection(words)] };
    },
    async run(scene, record) {
      const { project, request, need } = scene;
      const times = { now: request.now(), timeZone: request.timeZone };
      // Attempts after these tell what became of it.
      const [before] = id === undefined ? [] : (await affected(scene)).deliveries;
      const body = resendRequest(command, operationOptions(scene));
      const resent = await need("deliveries", (client, options) => client.deliveries.resend(body, options));
      record.note({ detail: `${resent.resent} sent again` });
      announceAct(record, scene, "sent webhooks again", [
        ["Webhooks", formatCount(resent.resent)],
        ["Id", id && escapeMrkdwn(id)],
      ]);
      const { id: _id, is: _is, ...period } = command;
      if (!before || resent.resent === 0) {
        const list = { ...period, name: "deliveries", in: project.id } as const;
        return withControls(formatResent(resent, times), commandButton("Deliveries", "deliveries", list));
      }
      const after = await outcomeOf(before, scene);
      const words = resendOutcomeWords(before, after) ?? "✓ It is being sent again. It was not tried yet.";
      const one = { name: "deliveries", id: before.delivery_id, in: project.id } as const;
      const blocks = [plainSection(words), ...formatDelivery(after, times).blocks];
      return withControls({ blocks, text: escapeMrkdwn(words) }, commandButton("Look again", "delivery", one));
    },
  };
}

const LOOK_MS = 300;
/** Before this much time is left, the answer is given. */
const SPARE_MS = 4000;

/** What became of a delivery that was sent again, as far as that is known in time. */
async function outcomeOf(before: Delivery, { project, request, ask }: Scene): Promise<Delivery> {
  const wanted = { project_id: project.id, delivery_id: before.delivery_id };
  for (;;) {
    const { deliveries: found } = await ask((client, options) => client.deliveries.list(wanted, options));
    const after = found[0] ?? before;
    if (resendOutcomeWords(before, after) !== undefined || request.now() > request.answerBy - SPARE_MS) return after;
    await request.aside(() => wait(LOOK_MS));
  }
}

const endpointsOf = async ({ project: { id }, need }: Scene) =>
  (await need("endpoints", (client, options) => client.endpoints.list({ project_id: id }, options))).endpoints;

/** `/media endpoints`: the state of the webhook endpoints, with a button that switches one on, for those who may. */
export async function endpoints(command: CommandNamed<"endpoints">, request: Request): Promise<Draft> {
  const project = await openProjectOf(command, request);
  const found = await endpointsOf(sceneOf(project, request));
  const mayEnable = await mayDo("endpoints", request);
  const message = formatEndpoints(found, {
    now: request.now(),
    timeZone: request.timeZone,
    title: capital(language.describe(command, { project: project.id })),
    button: ({ kind, state }) =>
      mayEnable && state === "off"
        ? actButton("Switch on…", kind, { name: "enable", endpoint: kind, in: project.id })
        : undefined,
  });
  return withControls(message, commandButton("Refresh", "refresh", { ...command, in: project.id }));
}

/** `/media endpoints enable`: switches an endpoint on. */
export const enabling = ({ endpoint: kind }: CommandNamed<"enable">): Act => ({
  title: "Switch an endpoint on",
  submit: "Switch on",
  right: "endpoints",
  doing: "switch webhook endpoints on",
  record: { action: "endpoint.enable", subject: kind },
  async look(scene) {
    const { now, timeZone } = scene.request;
    const endpoint = (await endpointsOf(scene)).find((one) => one.kind === kind);
    if (!endpoint) return { blocks: [plainSection(`The project has no ${kind} endpoint.`)], isPossible: false };
    const title = `The ${kind} endpoint, project ${scene.project.id}`;
    const { blocks } = formatEndpoints([endpoint], { now: now(), timeZone, title });
    const isPossible = endpoint.state === "off";
    const words = isPossible
      ? "The service then sends webhooks there again. Events that failed meanwhile are not sent by this."
      : "It is switched on already.";
    return { blocks: [...blocks, plainSection(words)], isPossible };
  },
  async run(scene, record) {
    const { project, request, ask } = scene;
    const before = (await endpointsOf(scene)).find((one) => one.kind === kind);
    if (!before) throw new Refused(`The project has no ${kind} endpoint. Nothing was done.`);
    const enabled = await ask((client, options) => client.endpoints.enable({ project_id: project.id, kind }, options));
    announceAct(record, scene, "switched a webhook endpoint on", [["Endpoint", kind]]);
    const since = Date.parse(before.off_since ?? "");
    const missed = kind === "event" && Number.isFinite(since) && (await mayDo("resend", request));
    return withControls(
      formatEnabled(enabled, { now: request.now(), timeZone: request.timeZone }),
      missed ? actButton("Send what failed…", "missed", { name: "resend", since, in: project.id }) : undefined,
      commandButton("Endpoints", "endpoints", { name: "endpoints", in: project.id }),
    );
  },
});
