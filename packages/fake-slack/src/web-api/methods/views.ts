import { Refusal } from "../../refusal.js";
import { findTrigger, findView, openView, publishView, pushView, updateView } from "../../world/views.js";
import { neededArg, textArg } from "../arguments.js";
import { viewAsSlack } from "../as-slack.js";
import { viewContent } from "../content.js";
import { personOf } from "../lookup.js";
import type { BotMethods } from "../method.js";

/** The methods about modals and homes. */
export const viewMethods: BotMethods = {
  "views.open": {
    scopes: [],
    run: ({ world, team, args }) => {
      const content = viewContent(world, args.view, "modal");
      const trigger = findTrigger(world, team, args.trigger_id);
      return { view: viewAsSlack(world, team, openView(world, team, trigger, content)) };
    },
  },
  "views.publish": {
    scopes: [],
    run: ({ world, team, args }) => {
      const content = viewContent(world, args.view, "home");
      const user = personOf(team, neededArg(args, "user_id"));
      return { view: viewAsSlack(world, team, publishView(world, team, user, content, textArg(args, "hash"))) };
    },
  },
  "views.push": {
    scopes: [],
    run: ({ world, team, args }) => {
      const content = viewContent(world, args.view, "modal");
      const trigger = findTrigger(world, team, args.trigger_id);
      return { view: viewAsSlack(world, team, pushView(world, team, trigger, content)) };
    },
  },
  "views.update": {
    scopes: [],
    run: ({ world, team, args }) => {
      const view = findView(team, neededArg(args, "view_id"));
      // The type of the existing view decides which content is valid.
      const content = viewContent(world, args.view, view?.type ?? "modal");
      if (!view) throw new Refusal("not_found");
      return { view: viewAsSlack(world, team, updateView(world, team, view, content, textArg(args, "hash"))) };
    },
  },
};
