import type { ReactNode } from "react";
import { Picture } from "../blocks/picture.js";
import { UnknownBlock } from "../blocks/unknown.js";
import { type Json, listIn, stringIn } from "../json.js";
import { Boxes } from "./boxes.js";
import { Button, FeedbackButtons, IconButton } from "./button.js";
import { Overflow } from "./overflow.js";
import { Picker } from "./pickers.js";
import { MultiSelect, Select } from "./select.js";
import { TextInput } from "./text-input.js";
import type { ElementProps } from "./use-element.js";

const elements: Readonly<Record<string, (props: ElementProps) => ReactNode>> = {
  button: Button,
  workflow_button: Button,
  icon_button: IconButton,
  feedback_buttons: FeedbackButtons,
  overflow: Overflow,
  static_select: Select,
  users_select: Select,
  conversations_select: Select,
  channels_select: Select,
  multi_static_select: MultiSelect,
  multi_users_select: MultiSelect,
  multi_conversations_select: MultiSelect,
  multi_channels_select: MultiSelect,
  radio_buttons: Boxes,
  checkboxes: Boxes,
  plain_text_input: TextInput,
  number_input: TextInput,
  email_text_input: TextInput,
  url_text_input: TextInput,
  rich_text_input: TextInput,
  datepicker: Picker,
  timepicker: Picker,
  datetimepicker: Picker,
};

/** Something that a person can press, choose from or fill in; what cannot be drawn says so. */
export function Element(props: ElementProps): ReactNode {
  const type = stringIn(props.element.type);
  if (type === "image") return <Picture image={props.element} isSmall />;
  const Drawn = elements[type];
  return Drawn ? <Drawn {...props} /> : <UnknownBlock type={type} />;
}

/** Elements beside one another. */
export function ElementRow({ block, elements }: { block: Json; elements: unknown }): ReactNode {
  return (
    <div className="actions">
      {listIn(elements).map((element, at) => (
        <Element key={stringIn(element.action_id) || `at-${at}`} block={block} element={element} />
      ))}
    </div>
  );
}
