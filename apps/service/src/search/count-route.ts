import type { ApiCaller } from "../http/api-gate.js";
import { operationRoute } from "../http/operations.js";
import { type Action, type Gate, jsonAnswer } from "../http/route.js";
import { Refusal } from "../refusal.js";
import { count } from "./count.js";
import { readCount, validateCount } from "./count-request.js";
