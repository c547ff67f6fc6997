import { Refusal } from "../../refusal.js";
import type { View } from "../../world/model.js";
import { findTrigger, findView, openView, publishView, pushView, updateView } from "../../world/views.js";
import { neededArg, textArg } from "../arguments.js";
import { viewAsSlack } from "../as-slack.js";
import { viewContent } from "../content.js";
import { personOf } from "../lookup.js";
import type { BotCall, BotMethods } from "../method.js";

/** The methods about modals and homes. */
export const viewMethods: BotMethods = {
  "views.open": opening(openView),
  "views.publish": showing(({ world, team, args }) => {
    const content = viewContent(world, args.view, "home");
    const user = personOf(team, neededArg(args, "user_id"));
    return publishView(world, team, user, content, textArg(args, "hash"));
  }),
  "views.push": opening(pushView),
  "views.update": showing(({ world, team, args }) => {
    const view = findView(team, neededArg(args, "view_id"));
    // The type of the existing view decides which content is valid.
    const content = viewContent(world, args.view, view?.type ?? "modal");
    if (!view) throw new Refusal("not_found");
    return updateView(world, team, view, content, textArg(args, "hash"));
  }),
};

/** A method that opens a modal for a trigger. */
function opening(open: typeof openView): BotMethods[string] {
  return showing(({ world, team, args }) => {
    const content = viewContent(world, args.view, "modal");
    return open(world, team, findTrigger(world, team, args.trigger_id), content);
  });
}

/** A method that responds with the view that it shows. */
function showing(show: (call: BotCall) => View): BotMethods[string] {
  return { scopes: [], run: (call) => ({ view: viewAsSlack(call.world, call.team, show(call)) }) };
}
