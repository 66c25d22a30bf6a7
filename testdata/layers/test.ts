// lib/gate/decide_test.ts
import fc from "fast-check";
import { measure } from "../measure/metrics.ts";
const path = Deno.cwd();
