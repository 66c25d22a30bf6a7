// lib/model/run.ts
import { z } from "zod";
import { compile } from "../expression/compile.ts";
import { createHash } from "node:crypto";
import { match } from "ts-pattern";
import chalk from "chalk";
export default {};
export enum Kind {
  one,
}
