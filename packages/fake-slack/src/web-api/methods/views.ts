import { findTrigger } from "../../world/triggers.js";
import { findView, openView, publishView, pushView, updateView } from "../../world/views.js";
import { neededArg, textArg } from "../arguments.js";
import { viewAsSlack } from "../as-slack.js";
import { personOf } from "../lookup.js";
import { botMethod } from "../method.js";
import { Refusal } from "../refusal.js";
import { viewContent } from "../view-content.js";

export const viewsOpen = botMethod([], ({ world, team, args }) => {
  const content = viewContent(world, args.view, "modal");
  const trigger = findTrigger(world, team, args.trigger_id);
  return { view: viewAsSlack(world, team, openView(world, team, trigger, content)) };
});

export const viewsPush = botMethod([], ({ world, team, args }) => {
  const content = viewContent(world, args.view, "modal");
  const trigger = findTrigger(world, team, args.trigger_id);
  return { view: viewAsSlack(world, team, pushView(world, team, trigger, content)) };
});

export const viewsUpdate = botMethod([], ({ world, team, args }) => {
  const id = textArg(args, "view_id");
  const externalId = id === undefined ? neededArg(args, "external_id") : undefined;
  const view = findView(team, (candidate) => candidate.id === id || candidate.externalId === externalId);
  // What type it is to be hangs on what it is.
  const content = viewContent(world, args.view, view?.type ?? "modal");
  if (!view) throw new Refusal("not_found");
  return { view: viewAsSlack(world, team, updateView(world, team, view, content, textArg(args, "hash"))) };
});

export const viewsPublish = botMethod([], ({ world, team, args }) => {
  const content = viewContent(world, args.view, "home");
  const user = personOf(team, neededArg(args, "user_id"));
  return { view: viewAsSlack(world, team, publishView(world, team, user, content, textArg(args, "hash"))) };
});
