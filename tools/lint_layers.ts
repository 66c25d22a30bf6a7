/**
 * Does each file keep its place? A plugin of `deno lint`: folders import one way only, type-only
 * imports included; each outside package has one place; the outside world (`Deno`, `fetch`, the
 * clock, chance) is touched in `lib/io` alone. Tests may do all of it: they use the real parts.
 */
import { dirname, join, relative, resolve } from "node:path";

const ROOT = join(import.meta.dirname ?? ".", "..");

const STAGE = ["model", "expression"] as const;

/** What each folder of `lib` may import of ours, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  expression: ["model"],
  wire: ["model"],
  load: STAGE,
  run: STAGE,
  judge: STAGE,
  measure: STAGE,
  gate: STAGE,
  report: STAGE,
  io: ["model", "wire"],
  cli: ["model", "expression", "wire", "load", "run", "judge", "measure", "gate", "report"],
};

/** The program and the library join `cli` with the real effects. */
const ENTRIES: readonly string[] = ["main.ts", "lib/mod.ts"];

/** Folders and files that may import an outside package; one that is not here may be nowhere. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@resvg/resvg-wasm": ["lib/io/picture.ts"],
  "@resvg/resvg-wasm/index_bg.wasm": ["lib/io/picture.ts"],
  commander: ["lib/cli/cli.ts"],
  "dejavu-fonts-ttf/ttf/DejaVuSans.ttf": ["lib/io/picture.ts"],
  jsonata: ["lib/expression/"],
  "node-cron": ["lib/io/cron.ts"],
  re2js: ["lib/expression/"],
  telegraf: ["lib/io/telegram.ts"],
  "ts-pattern": ["lib/"],
  yaml: ["lib/load/yaml.ts"],
  zod: ["lib/model/", "lib/load/"],
  "node:buffer": ["lib/"],
  "node:crypto": ["lib/"],
  "node:http": ["lib/io/telegram.ts"],
  "node:https": ["lib/io/telegram.ts"],
  "node:path": ["lib/io/"],
  "node:process": ["lib/io/telegram.ts"],
  "node:sqlite": ["lib/io/sqlite.ts", "lib/io/history.ts"],
};

/** Names of the outside that stand alone, such as `fetch(…)`. */
const GLOBALS: ReadonlySet<string> = new Set([
  "Deno",
  "fetch",
  "globalThis",
  "performance",
  "process",
  "WebSocket",
  "Worker",
]);

/** Properties that tell time or throw dice. */
const MEMBERS: ReadonlySet<string> = new Set([
  "Date.now",
  "Math.random",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);

const layers: Deno.lint.Rule = {
  create(context) {
    const file = placeOf(context.filename);
    const check = (node: Deno.lint.Node, name: string) => {
      const message = wrongImport(file, name);
      if (message !== null) context.report({ node, message });
    };
    if (!isOurs(file) || isTest(file)) return {};
    return {
      ImportDeclaration: (node) => check(node.source, node.source.value),
      ExportAllDeclaration: (node) => check(node.source, node.source.value),
      ExportNamedDeclaration(node) {
        if (node.source) check(node.source, node.source.value);
      },
      "TSImportType > TSLiteralType > Literal": (node: Deno.lint.StringLiteral) =>
        check(node, node.value),
      ImportExpression(node) {
        const { source } = node;
        if (source.type === "Literal" && typeof source.value === "string") {
          return check(source, source.value);
        }
        const message = "A computed import has no place that can be checked: expected a literal";
        context.report({ node: source, message });
      },
    };
  },
};

const outside: Deno.lint.Rule = {
  create(context) {
    const file = placeOf(context.filename);
    if (!isOurs(file) || isTest(file) || file.startsWith("lib/io/")) return {};
    const report = (node: Deno.lint.Node, name: string) => {
      if (file === "main.ts" && name === "Deno") return;
      const message =
        `"${name}" touches the outside in "${file}": expected a port of lib/io instead`;
      context.report({ node, message });
    };
    return {
      Identifier(node) {
        if (GLOBALS.has(node.name) && standsAlone(node)) report(node, node.name);
      },
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
        const name = `${node.object.name}.${node.property.name}`;
        if (MEMBERS.has(name)) report(node, name);
      },
      'NewExpression[callee.name="Date"][arguments.length=0]': (node: Deno.lint.Node) =>
        report(node, "new Date()"),
      'CallExpression[callee.name="Date"]': (node: Deno.lint.Node) => report(node, "Date()"),
    };
  },
};

const plain: Deno.lint.Rule = {
  create(context) {
    if (!isOurs(placeOf(context.filename))) return {};
    return {
      ExportDefaultDeclaration(node) {
        context.report({ node, message: "A default export has no name to search for: name it" });
      },
      TSEnumDeclaration(node) {
        context.report({ node, message: "An enum is no plain data: expected a union of literals" });
      },
    };
  },
};

/** The name of a property, a key or a type's member is not the global of that name. */
function standsAlone(node: Deno.lint.Identifier): boolean {
  const { parent } = node;
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed;
  if (parent.type === "Property") return parent.value === node;
  return !/^(TSPropertySignature|TSMethodSignature|MethodDefinition|PropertyDefinition)$/
    .test(parent.type);
}

function placeOf(filename: string): string {
  return relative(ROOT, filename).replaceAll("\\", "/");
}

function isOurs(file: string): boolean {
  return file === "main.ts" || file.startsWith("lib/");
}

function isTest(file: string): boolean {
  return /_test\.ts$/.test(file);
}

function folderOf(file: string): string {
  return /^lib\/([^/]+)\//.exec(file)?.[1] ?? file;
}

/** Why `file` may not import `name`, or null. */
function wrongImport(file: string, name: string): string | null {
  return /^[./]|^file:/.test(name) ? wrongPlace(file, name) : wrongPackage(file, name);
}

function wrongPlace(file: string, name: string): string | null {
  const target = placeOf(resolve(ROOT, dirname(file), name));
  const from = folderOf(file);
  const to = folderOf(target);
  if (from === to && target.startsWith("lib/")) return null;
  if (ENTRIES.includes(file)) return wrongEntry(file, target);
  const allowed = MAY_IMPORT[from] ?? [];
  if (target.startsWith("lib/") && allowed.includes(to)) return null;
  const wanted = [from, ...allowed].map((word) => `"${word}"`).join(", ");
  return `"${from}" imports "${to}": expected one of ${wanted}`;
}

function wrongEntry(file: string, target: string): string | null {
  const folder = folderOf(target);
  if (target === "lib/io/real.ts" || folder === "cli") return null;
  if (file === "lib/mod.ts" && Object.hasOwn(MAY_IMPORT, folder) && folder !== "io") return null;
  return `"${file}" imports "${target}": expected "lib/cli" or "lib/io/real.ts"`;
}

function wrongPackage(file: string, name: string): string | null {
  const places = PACKAGES[name];
  if (places === undefined) {
    return `"${name}" has no place: add it to tools/lint_layers.ts or drop it`;
  }
  if (places.some((place) => file.startsWith(place))) return null;
  const wanted = places.map((place) => `"${place}"`).join(", ");
  return `"${name}" is imported in "${file}": expected in ${wanted} only`;
}

export default {
  name: "collaudo",
  rules: { layers, outside, plain },
} satisfies Deno.lint.Plugin;
