// For printers and further reports: how to read entries of which nothing is certain.
export { fieldNamesOf, fieldOf, itemsIn, jsonOf, numberIn, stringIn } from "./fields.js";
export {
  columnOf,
  columnsOf,
  type FieldColumn,
  failsFrom,
  isFailure,
  isOptionalLog,
  KEPT,
  KINDS,
  keptOf,
  rowOf,
  TIME_FIELD,
} from "./kinds.js";
export {
  checkedNow,
  DAY,
  HOUR,
  MINUTE,
  millisecondsOf,
  type OffsetAt,
  offsetsIn,
  SECOND,
  timeIn,
  within,
} from "./time.js";
