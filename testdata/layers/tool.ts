// tools/build.ts
import { measure } from "../lib/measure/metrics.ts";
const path = Deno.cwd();
