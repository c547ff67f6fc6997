import { type Break, testBreaks } from "../test/broken.js";
import { gone } from "../test/change.js";
import { elements } from "../test/elements.js";
import { empty, missing, noEnum, noItems, tooLong, tooMany, unknownField, unsupported } from "../test/errors.js";
import { letters, link, mrkdwn, plain, times } from "../test/texts.js";

const notOffered = "must be one of the provided options";

const option = { text: plain(1), value: "v" };
const options = (count: number) => times(count, () => option);

/** The same changes, of the element in a block. */
const within = (field: string, breaks: readonly Break[]): Break[] =>
  breaks.map(([at, to, error, errorAt = at]) => [`/${field}${at}`, to, error, `/${field}${errorAt}`]);

function testAccessory(name: keyof typeof elements, breaks: readonly Break[]): void {
  const block = { type: "section", text: plain(1), accessory: elements[name].maximal };
  testBreaks(`the element ${name}`, block, within("accessory", breaks));
}

function testInput(name: keyof typeof elements, breaks: readonly Break[]): void {
  const block = { type: "input", label: plain(1), element: elements[name].maximal };
  testBreaks(`the element ${name}`, block, within("element", breaks), "modal");
}

function testContextAction(name: keyof typeof elements, breaks: readonly Break[]): void {
  const block = { type: "context_actions", elements: [elements[name].maximal] };
  testBreaks(`the element ${name}`, block, within("elements/0", breaks));
}

testAccessory("button", [
  ["/text", gone, missing("text"), ""],
  ["/text", mrkdwn(1), unsupported("mrkdwn"), "/text/type"],
  ["/text/text", "", empty],
  ["/text/text", letters(76), tooLong(75)],
  ["/action_id", "", empty],
  ["/action_id", letters(256), tooLong(255)],
  ["/value", letters(2001), tooLong(2000)],
  ["/url", link(3001), tooLong(3000)],
  ["/url", "media.example", "invalid url"],
  ["/style", "default", noEnum],
  ["/accessibility_label", letters(76), tooLong(75)],
  ["/disabled", true, unknownField("disabled"), ""],
  ["/confirm/title", gone, missing("title"), "/confirm"],
  ["/confirm/title/text", letters(101), tooLong(100)],
  ["/confirm/title", mrkdwn(1), unsupported("mrkdwn"), "/confirm/title/type"],
  ["/confirm/text/text", letters(301), tooLong(300)],
  ["/confirm/confirm/text", letters(31), tooLong(30)],
  ["/confirm/deny/text", letters(31), tooLong(30)],
  ["/confirm/deny", gone, missing("deny"), "/confirm"],
  ["/confirm/style", "warning", noEnum],
]);

testAccessory("workflow_button", [
  ["/text/text", letters(76), tooLong(75)],
  ["/workflow", gone, missing("workflow"), ""],
  ["/workflow/trigger/url", gone, missing("url"), "/workflow/trigger"],
  ["/action_id", gone, missing("action_id"), ""],
]);

testAccessory("overflow", [
  ["/options", [], noItems],
  ["/options", options(6), tooMany(5)],
  ["/options/0/url", link(3001), tooLong(3000)],
  ["/placeholder", plain(1), unknownField("placeholder"), ""],
]);

testAccessory("static_select", [
  ["/option_groups", gone, "must define either `options` or `option_groups`", ""],
  ["/options", options(1), "must define only one of `options` and `option_groups`", ""],
  ["/option_groups", times(101, () => ({ label: plain(1), options: options(1) })), tooMany(100)],
  ["/option_groups/0/options", options(101), tooMany(100)],
  ["/option_groups/0/options", [], noItems],
  ["/option_groups/0/label/text", letters(76), tooLong(75)],
  ["/initial_option", option, notOffered],
  ["/placeholder/text", letters(151), tooLong(150)],
  ["/placeholder", mrkdwn(1), unsupported("mrkdwn"), "/placeholder/type"],
  ["/focus_on_load", "true", "must provide a boolean"],
]);

testAccessory("multi_static_select", [
  ["/options", options(101), tooMany(100)],
  ["/options/0/text/text", letters(76), tooLong(75)],
  ["/options/0/text", mrkdwn(1), unsupported("mrkdwn"), "/options/0/text/type"],
  ["/options/0/value", letters(151), tooLong(150)],
  ["/options/0/value", "", empty],
  ["/options/99/value", gone, missing("value"), "/options/99"],
  ["/options/99/description/text", letters(76), tooLong(75)],
  ["/options/99/url", link(30), unknownField("url"), "/options/99"],
  ["/initial_options", [], notOffered],
  ["/initial_options/1", option, notOffered, "/initial_options"],
  ["/max_selected_items", 0, "must be greater than 0"],
]);

testAccessory("external_select", [
  ["/min_query_length", -1, "must be greater than -1"],
  ["/options", options(1), unknownField("options"), ""],
]);

testAccessory("users_select", [["/initial_user", ["U1"], "must provide a string"]]);
testAccessory("multi_users_select", [["/initial_users", "U1", "must provide an array"]]);
testAccessory("channels_select", [["/filter", {}, unknownField("filter"), ""]]);

testAccessory("conversations_select", [
  ["/filter", {}, "must define either `include`, `exclude_external_shared_channels` or `exclude_bot_users`"],
  ["/filter/include", [], noItems],
  ["/filter/include/0", "channel", noEnum],
]);

testAccessory("checkboxes", [
  ["/options", gone, missing("options"), ""],
  ["/options", options(11), tooMany(10)],
  ["/initial_options", options(1), notOffered],
]);

testAccessory("radio_buttons", [
  ["/options", options(11), tooMany(10)],
  ["/initial_option", option, notOffered],
]);

testAccessory("datepicker", [
  ["/initial_date", "29.02.2024", "must be a date in the format YYYY-MM-DD"],
  ["/initial_date", "2023-02-29", "must be a date in the format YYYY-MM-DD"],
]);

testAccessory("timepicker", [["/initial_time", "24:00", "must be a time in the format HH:mm"]]);

testInput("datetimepicker", [
  ["/initial_date_time", 999_999_999, "must be greater than 999999999"],
  ["/initial_date_time", 10_000_000_000, "must be less than 10000000000"],
  ["/initial_date_time", "1628633820", "must provide a number"],
]);

testInput("plain_text_input", [
  ["/initial_value", letters(3001), tooLong(3000)],
  ["/min_length", -1, "must be greater than -1"],
  ["/min_length", 3001, "must be less than 3001"],
  ["/max_length", 0, "must be greater than 0"],
  ["/max_length", 3001, "must be less than 3001"],
  ["", { type: "plain_text_input", min_length: 9, max_length: 8 }, "`min_length` cannot be greater than `max_length`"],
  ["/dispatch_action_config/trigger_actions_on", ["on_click"], noEnum, "/dispatch_action_config/trigger_actions_on/0"],
  ["/dispatch_action_config/trigger_actions_on", [], noItems],
  ["/dispatch_action_config/trigger_actions_on", times(3, () => "on_enter_pressed"), tooMany(2)],
  ["/placeholder/text", letters(151), tooLong(150)],
]);

testInput("number_input", [
  ["/is_decimal_allowed", gone, missing("is_decimal_allowed"), ""],
  ["/initial_value", 5, "must provide a string"],
  ["/initial_value", "five", "must be a number"],
  ["/min_value", "10", "`min_value` cannot be greater than `max_value`", ""],
]);

testInput("email_text_input", [["/multiline", true, unknownField("multiline"), ""]]);
testInput("url_text_input", [["/initial_value", 1, "must provide a string"]]);

testInput("rich_text_input", [
  ["/action_id", gone, missing("action_id"), ""],
  ["/initial_value", "x", "must provide an object"],
  ["/initial_value/type", "section", unsupported("section")],
  ["/max_lines", 101, "must be less than 101"],
]);

testInput("file_input", [
  ["/max_files", 0, "must be greater than 0"],
  ["/max_files", 11, "must be less than 11"],
  ["/filetypes", [], noItems],
]);

testContextAction("feedback_buttons", [
  ["/positive_button", gone, missing("positive_button"), ""],
  ["/negative_button/text/text", letters(76), tooLong(75)],
  ["/negative_button/value", gone, missing("value"), "/negative_button"],
  ["/negative_button/value", letters(2001), tooLong(2000)],
]);

testContextAction("icon_button", [
  ["/icon", "bin", noEnum],
  ["/text", gone, missing("text"), ""],
  ["/text/text", letters(76), tooLong(75)],
  ["/visible_to_user_ids", [], noItems],
]);
