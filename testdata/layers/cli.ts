// lib/cli/run_command.ts
import { parse } from "yaml";
import jsonata from "jsonata";
import { Command } from "commander";
import { z } from "zod";
import { realFiles } from "../io/files.ts";
import { judgeRun } from "../judge/judge_run.ts";
import { main } from "../../main.ts";
