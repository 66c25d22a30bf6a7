/** How is this project set up? `collaudo.yaml`, at the project's top; secrets only as `{env: NAME}`. */
import { z } from "zod";
import {
  currencyCode,
  environmentName,
  expressionText,
  identifier,
  isoDate,
  isoTime,
} from "./common.ts";

const environmentOrText = z.union([environmentName, z.string().min(1)]);

const loopAgent = z.strictObject({
  kind: z.literal("loop"),
  model: z.string().min(1).describe("A name of `models`"),
  system: z.string().min(1).optional().describe("A file with the system prompt"),
  calls_max: z.int().min(1).default(50).describe("Calls after which a run ends as `limit`"),
  timeout_s: z.number().positive().default(120),
});

const commandAgent = z.strictObject({
  kind: z.literal("command"),
  argv: z.array(z.string()).min(1)
    .describe("Program and arguments, without a shell; {workspace}, {home}, … are filled in"),
  resume: z.array(z.string()).min(1).optional()
    .describe("The same for a later user turn; {session} is what the stream named"),
  stream: z.enum(["codex", "claude", "opencode", "gemini", "qwen", "pi", "openclaw", "none"])
    .describe("How its standard output is read"),
  model: z.string().min(1).optional()
    .describe("A name of `models`: who answers behind {model_url} in live mode"),
  files: z.record(z.string().min(1), z.string().min(1)).optional()
    .describe(
      "Laid before the start: place below {home} or {workspace} -> the project's file, placeholders filled in, or folder, as it is",
    ),
  source: z.array(z.string().min(1)).min(1).optional()
    .describe(
      "Files and folders of the project that are evaluated, such as a skill: hashed before, compared at the end",
    ),
  env: z.record(z.string(), environmentOrText).optional()
    .describe("Its environment besides PATH, HOME, LANG, TERM and TMPDIR"),
  isolation: z.enum(["none", "bwrap"]).optional(),
  calls_max: z.int().min(1).default(100).describe("Calls after which a run ends as `limit`"),
  timeout_s: z.number().positive().default(180),
});

const port = z.int().min(1).max(65535);

const httpAgent = z.strictObject({
  kind: z.literal("http"),
  base_url: environmentOrText.describe(
    "Where it listens: the interface's base URL, or the whole address where `request` is given",
  ),
  key: environmentName.optional(),
  headers: z.record(z.string().min(1), environmentOrText).optional()
    .describe("Sent with each request, besides the key"),
  model: z.string().min(1).optional().describe("The model's name in an OpenAI-compatible request"),
  stream: z.boolean().default(false)
    .describe("Whether an OpenAI-compatible answer is asked for as a stream"),
  request: expressionText.optional()
    .describe(
      "JSONata over {text, turn, session, setting, messages}: the body; absent: OpenAI-compatible",
    ),
  response: expressionText.optional()
    .describe("JSONata over the answer: {text, session?, calls?}; absent: OpenAI-compatible"),
  tools_port: port.optional()
    .describe("The agent finds the scenario's tools at `http://127.0.0.1:<port>/mcp`"),
  model_port: port.optional()
    .describe("In a replay the agent finds its model at `http://127.0.0.1:<port>`"),
  calls_max: z.int().min(1).default(100).describe("Calls after which a run ends as `limit`"),
  timeout_s: z.number().positive().default(120).describe("Time limit of a run"),
});

/** The agents that may be judged. `scripted` is built in, for self-tests. */
export const agentConfig = z.discriminatedUnion("kind", [loopAgent, commandAgent, httpAgent]);

const price = z.strictObject({
  input: z.number().min(0),
  cached_input: z.number().min(0).optional(),
  output: z.number().min(0),
  per: z.number().positive(),
  currency: currencyCode,
  as_of: isoDate.describe("The day on which the price was looked up"),
});

/** A model behind an HTTP interface. */
export const modelConfig = z.strictObject({
  api: z.enum(["chat", "responses", "messages", "gemini"]),
  base_url: environmentOrText,
  key: environmentName.optional(),
  name: z.string().min(1),
  price: price.optional(),
  billing: z.enum(["metered", "subscription", "free", "unknown"]).optional(),
  temperature: z.number().min(0).optional(),
  retries_max: z.int().min(0).default(4),
  timeout_s: z.number().positive().default(60).describe("Time limit of one request"),
});

const exchangeRate = z.strictObject({
  from: currencyCode,
  to: currencyCode,
  rate: z.number().positive(),
  as_of: isoDate,
});

const scheduleJob = z.strictObject({
  name: identifier,
  cron: z.string().min(1).describe("Minute, hour, day of the month, month, weekday, in `zone`"),
  command: z.array(z.string().min(1)).min(1).describe("The words of a command"),
  timeout_s: z.number().positive().max(2_000_000).default(14_400)
    .describe("Time limit, after which the job and all that it started are ended"),
});

const telegramChannel = z.strictObject({
  token: environmentName.describe("The variable with the token that BotFather gave"),
  chat: environmentName.describe("The variable with the number of the chat"),
  api_root: z.string().nullable().default(null)
    .describe("Another server of the Bot API than Telegram's own"),
});

const webhookChannel = z.strictObject({
  url: environmentOrText
    .describe("Where it is posted; {env: NAME} where whoever knows the address may post"),
  headers: z.record(
    z.string().regex(/^[A-Za-z0-9-]+$/, "expected a header's name"),
    environmentOrText,
  )
    .default({}).describe("Headers besides the content type; secrets as {env: NAME}"),
  body: z.string().min(1).default('{"text": text}')
    .describe("JSONata over the message: the JSON that is posted"),
  timeout_s: z.number().positive().max(300).default(30),
});

const commandChannel = z.strictObject({
  argv: z.array(z.string().min(1)).min(1)
    .describe("Program and arguments, without a shell; it gets the message on its standard input"),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, "expected a variable's name"), environmentOrText)
    .default({}).describe("Its environment besides PATH, HOME, LANG, TERM and TMPDIR"),
  timeout_s: z.number().positive().max(300).default(30)
    .describe("Time limit, after which it and all that it started are ended"),
});

const realWorlds = z.strictObject({
  allow: z.array(z.string().min(1)).default([])
    .describe(
      "Hosts that the commands of `setup.world` may name, with the port where there is one",
    ),
  production: z.array(z.string().min(1)).default([])
    .describe("Words of the real system: a command or variable that holds one is refused"),
  env: z.record(z.string(), environmentOrText).default({})
    .describe("Their environment besides PATH, HOME, LANG, TERM and TMPDIR"),
  timeout_s: z.number().positive().default(60),
}).describe("Worlds of the team's own that scenarios may read: a staging system, never production");

/** `collaudo.yaml`. */
export const configFile = z.strictObject({
  locale: z.enum(["it", "en"]).default("en"),
  zone: z.string().min(1).default("Europe/Rome"),
  currency: currencyCode.default("EUR"),
  rates: z.array(exchangeRate).default([]).describe("Dated exchange rates for costs"),
  clock: isoTime.default("2026-10-01T09:00:00+02:00"),
  agent: z.string().min(1).optional().describe("Default agent: a name of `agents`"),
  agents: z.record(z.string(), agentConfig).default({}),
  models: z.record(z.string(), modelConfig).default({}),
  world: realWorlds.default({ allow: [], production: [], env: {}, timeout_s: 60 }),
  severities: z.strictObject({
    missing: z.number().min(0).optional(),
    protected: z.number().min(0).optional(),
    unrequested_message: z.number().min(0).optional(),
    missing_message: z.number().min(0).optional(),
    other_record: z.number().min(0).optional(),
    file: z.number().min(0).optional(),
    forbidden: z.number().min(0).optional(),
  }).default({}),
  mask_env: z.array(z.string().min(1)).default([]),
  base: z.string().min(1).default("main"),
  triggers: z.array(z.string().min(1)).default([]),
  hook: z.strictObject({
    budget_s: z.number().positive().default(30),
    on_stale: z.enum(["warn", "block", "live"]).default("warn"),
    on_missing_runtime: z.enum(["warn", "block"]).default("warn"),
  }).default({ budget_s: 30, on_stale: "warn", on_missing_runtime: "warn" }),
  schedule: z.strictObject({ jobs: z.array(scheduleJob).default([]) }).default({ jobs: [] }),
  notify: z.strictObject({
    telegram: telegramChannel.optional().describe("A chat of a Telegram bot"),
    webhook: webhookChannel.optional().describe("An address that takes JSON by HTTP POST"),
    command: commandChannel.optional().describe("A program of yours"),
  }).default({}),
});

export type Config = z.infer<typeof configFile>;
export type AgentConfig = z.infer<typeof agentConfig>;
export type CommandAgentConfig = z.infer<typeof commandAgent>;
export type HttpAgentConfig = z.infer<typeof httpAgent>;
export type LoopAgentConfig = z.infer<typeof loopAgent>;
export type ModelConfig = z.infer<typeof modelConfig>;
export type Severities = Readonly<
  Record<
    | "missing"
    | "protected"
    | "unrequested_message"
    | "missing_message"
    | "other_record"
    | "file"
    | "forbidden",
    number
  >
>;
