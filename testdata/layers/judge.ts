// lib/judge/verdict.ts
import { playRun } from "../run/play.ts";
import type { Gate } from "../gate/gate.ts";
import type { Run } from "../model/run.ts";
import { compile } from "../expression/compile.ts";
import { near } from "./near.ts";
export { render } from "../report/render.ts";
export * from "../load/load.ts";
export type Late = import("../measure/metrics.ts").Metrics;
const tool = await import("../../tools/airline.ts");
const named = await import(name);
