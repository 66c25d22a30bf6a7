// lib/run/loop.ts
const path = Deno.cwd();
const answer = await fetch("http://127.0.0.1");
const times = [Date.now(), new Date(), Date(), performance.now()];
const dice = [Math.random(), crypto.randomUUID()];
const hidden = globalThis.fetch;
const known = new Date("2026-10-01T09:00:00+02:00");
const fields = { fetch: 1, Deno: 2 };
const members = [fields.fetch, fields.Deno];
interface Http {
  fetch(url: string): void;
  process: string;
}
