import { describe } from "vitest";
import {
  button,
  elements,
  empty,
  gone,
  letters,
  link,
  missing,
  mrkdwn,
  noEnum,
  noItems,
  notOffered,
  option,
  testBreaks,
  testInput,
  times,
  tooLong,
  tooMany,
  unknownField,
  unmodelled,
} from "../test/samples.js";

const options = (count: number) => times(count, () => option);

describe("the checks of", () => {
  testBreaks("actions", { type: "actions", elements: times(25, () => elements.button.minimal) }, [
    ["/elements", [], noItems],
    ["/elements", times(26, () => elements.button.minimal), tooMany(25)],
    ["/elements/0", elements.plain_text_input.minimal, unmodelled("plain_text_input"), "/elements/0/type"],
    ["/elements", times(2, () => button("a")), '`action_id` "a" already exists', "/elements/1/action_id"],
  ]);

  testBreaks("a button", { type: "actions", elements: [elements.button.maximal] }, [
    ["/elements/0/text", gone, missing("text"), "/elements/0"],
    ["/elements/0/text", mrkdwn(1), unmodelled("mrkdwn"), "/elements/0/text/type"],
    ["/elements/0/text/text", letters(76), tooLong(75)],
    ["/elements/0/action_id", letters(256), tooLong(255)],
    ["/elements/0/value", letters(2001), tooLong(2000)],
    ["/elements/0/url", link(3001), tooLong(3000)],
    ["/elements/0/url", "media.example", "invalid url"],
    ["/elements/0/style", "default", noEnum],
    ["/elements/0/confirm/title/text", letters(101), tooLong(100)],
    ["/elements/0/confirm/text/text", letters(301), tooLong(300)],
    ["/elements/0/confirm/confirm/text", letters(31), tooLong(30)],
    ["/elements/0/confirm/deny", gone, missing("deny"), "/elements/0/confirm"],
    ["/elements/0/confirm/style", "warning", noEnum],
  ]);

  testInput("static_select", [
    ["/options", gone, missing("options"), ""],
    ["/options", [], noItems],
    ["/options", options(101), tooMany(100)],
    ["/options/0/text/text", letters(76), tooLong(75)],
    ["/options/0/text", mrkdwn(1), unmodelled("mrkdwn"), "/options/0/text/type"],
    ["/options/0/value", letters(151), tooLong(150)],
    ["/options/0/url", link(30), unknownField("url"), "/options/0"],
    ["/initial_option", option, notOffered],
    ["/placeholder/text", letters(151), tooLong(150)],
  ]);
  testInput("checkboxes", [
    ["/options", options(11), tooMany(10)],
    ["/initial_options", options(1), notOffered],
    ["/initial_options", [], notOffered],
  ]);
  testInput("radio_buttons", [
    ["/options", options(11), tooMany(10)],
    ["/initial_option", option, notOffered],
  ]);
  testInput("conversations_select", [
    ["/initial_conversation", "", empty],
    ["/default_to_current_conversation", "yes", "must provide a boolean"],
    ["/filter", {}, missing("include"), "/filter"],
    ["/filter/include", [], noItems],
    ["/filter/include/0", "channel", noEnum],
    ["/response_url_enabled", "yes", "must provide a boolean"],
  ]);
  testInput("datetimepicker", [
    ["/initial_date_time", 999_999_999, "must be greater than 999999999"],
    ["/initial_date_time", 10_000_000_000, "must be less than 10000000000"],
    ["/initial_date_time", "1628633820", "must provide a number"],
  ]);
  testInput("plain_text_input", [
    ["/initial_value", letters(3001), tooLong(3000)],
    ["/max_length", 0, "must be greater than 0"],
    ["/max_length", 3001, "must be less than 3001"],
  ]);
  testInput("number_input", [
    ["/is_decimal_allowed", gone, missing("is_decimal_allowed"), ""],
    ["/initial_value", 5, "must provide a string"],
    ["/initial_value", "five", "must be a number"],
    ["/min_value", "10", "`min_value` cannot be greater than `max_value`", ""],
  ]);
});
