/** Which model interfaces are served? All of them in one list, for the service that answers programs. */
import type { ModelApi } from "../../model/model_api.ts";
import { CHAT_API } from "./chat_server.ts";
import { GEMINI_API } from "./gemini_server.ts";
import { MESSAGES_API } from "./messages_server.ts";
import { RESPONSES_API } from "./responses_server.ts";

/** The interfaces, each with its own paths. */
export const MODEL_APIS: readonly ModelApi[] = [
  CHAT_API,
  RESPONSES_API,
  MESSAGES_API,
  GEMINI_API,
];
