// lib/io/http_server.ts
import { chat } from "../wire/chat.ts";
import { loop } from "../run/loop.ts";
import { DatabaseSync } from "node:sqlite";
const path = Deno.cwd();
const now = Date.now();
