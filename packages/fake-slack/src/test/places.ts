import type {
  ActionsBlockElement,
  ContextActionsBlockElement,
  InputBlockElement,
  SectionBlockAccessory,
} from "@slack/types";

/** All kinds of elements that the types allow in a place; fails to compile where one is missing or too many. */
type Kinds<Element extends { type: string }> = Record<Element["type"], true>;

const choices = {
  checkboxes: true,
  radio_buttons: true,
  static_select: true,
  external_select: true,
  users_select: true,
  conversations_select: true,
  channels_select: true,
  multi_static_select: true,
  multi_external_select: true,
  multi_users_select: true,
  multi_conversations_select: true,
  multi_channels_select: true,
  datepicker: true,
  timepicker: true,
} as const;

/** Which elements stand where. */
export const places = {
  accessory: {
    ...choices,
    button: true,
    workflow_button: true,
    overflow: true,
    image: true,
  } satisfies Kinds<SectionBlockAccessory>,
  action: {
    ...choices,
    button: true,
    workflow_button: true,
    overflow: true,
    datetimepicker: true,
    rich_text_input: true,
  } satisfies Kinds<ActionsBlockElement>,
  contextAction: { feedback_buttons: true, icon_button: true } satisfies Kinds<ContextActionsBlockElement>,
  input: {
    ...choices,
    datetimepicker: true,
    plain_text_input: true,
    number_input: true,
    email_text_input: true,
    url_text_input: true,
    rich_text_input: true,
    file_input: true,
  } satisfies Kinds<InputBlockElement>,
};
