/**
 * Which keys does a format have? A Markdown table from the generated JSON Schema. The words of a key
 * are the schema's description; where it has none, those that stand in the table already are kept. A
 * key without any words is a problem.
 */

/** A JSON Schema, as far as it is read here. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
}

/** Descriptions of shared shapes: they say what a value is, not what a key is for. */
const OF_VALUES: Readonly<Record<string, string>> = {
  "A JSONata expression": "expression",
  "A state path; `*` and `**` allowed": "state path",
  "An RE2 pattern": "RE2 pattern",
  "Any JSON object": "object",
  "Any JSON value": "any",
  "Collections of records by id": "state",
  "ISO 8601 date": "day",
  "ISO 8601 time with an offset": "time with offset",
  "The name of the environment variable that holds the value": "`{env: NAME}`",
};

/** The table, and the keys that nobody has described. */
export interface KeyTable {
  readonly text: string;
  readonly wordless: readonly string[];
}

/**
 * The table of the schema at `path`: a key's name, `*` for what a map or list holds, `#loop` for the
 * variant with that `kind`, `#2` for the second variant. `before` is the table as it stood.
 */
export function keyTable(schema: Schema, path: readonly string[], before: string): KeyTable {
  const at = path.reduce(step, schema);
  if (at.properties === undefined) throw new Error(`No keys at "${path.join(".")}"`);
  const known = wordsIn(before);
  const wordless: string[] = [];
  const rows = Object.entries(at.properties).map(([key, value]) => {
    const words = meaning(value) ?? known.get(key) ?? "";
    if (words === "") wordless.push(key);
    const usual = at.required?.includes(key) === true ? "obligatory" : usualValue(value);
    return row([`\`${key}\``, typeWords(value), usual, words]);
  });
  const head = [row(["key", "value", "default", "what it is"]), "|---|---|---|---|\n"];
  return { text: [...head, ...rows].join(""), wordless };
}

function meaning({ description }: Schema): string | undefined {
  return description !== undefined && description in OF_VALUES ? undefined : description;
}

function step(schema: Schema, part: string): Schema {
  const next = part.startsWith("#") ? variant(schema, part.slice(1)) : inside(schema, part);
  if (next === undefined) throw new Error(`The schema has no "${part}" there`);
  return next;
}

function variant(schema: Schema, name: string): Schema | undefined {
  const variants = schema.anyOf ?? schema.oneOf ?? [];
  return variants.find((one) => one.properties?.["kind"]?.const === name) ??
    variants[Number(name) - 1];
}

function inside(schema: Schema, part: string): Schema | undefined {
  if (part !== "*") return schema.properties?.[part];
  const values = schema.additionalProperties;
  return schema.items ?? (typeof values === "object" ? values : undefined);
}

function wordsIn(table: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const line of table.split("\n")) {
    const cells = line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    const key = /^`(.+)`$/.exec(cells[0] ?? "")?.[1];
    if (key !== undefined) words.set(key, (cells[3] ?? "").replaceAll("\\|", "|"));
  }
  return words;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
}

function usualValue({ default: value }: Schema): string {
  const empty = value === undefined ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return empty || typeof value === "object" ? "" : `\`${String(value)}\``;
}

function typeWords(schema: Schema): string {
  const shared = OF_VALUES[schema.description ?? ""];
  if (shared !== undefined) return shared;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return [...new Set(variants.map(typeWords))].join(" or ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(", ");
  if (schema.type === "array") return listWords(schema);
  if (schema.type === "object") return schema.properties === undefined ? "map" : "object";
  if (schema.type === "integer") return `whole number${lowest(schema)}`;
  if (schema.type === "number") return `number${lowest(schema)}`;
  if (schema.type === "string") return "text";
  if (typeof schema.type === "object") {
    return schema.type.map((type) => typeWords({ type })).join(" or ");
  }
  return schema.type ?? "any";
}

function listWords({ items, prefixItems }: Schema): string {
  if (prefixItems !== undefined) return `[${prefixItems.map(typeWords).join(", ")}]`;
  return items === undefined ? "list" : `list of ${typeWords(items)}`;
}

function lowest({ minimum, exclusiveMinimum }: Schema): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  return minimum === undefined ? "" : ` from ${minimum}`;
}
