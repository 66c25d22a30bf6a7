/**
 * What is written for the timers of the system? A user unit of systemd with its timer, or a block of
 * lines for a crontab; both start `schedule --once`, which itself knows what is due. Everything that
 * is ours carries a mark; what carries none is never touched. Nothing in here reads or writes.
 */
import { mayMeetChange } from "../load/check_schedule.ts";
import type { CronFields } from "../load/cron_text.ts";
import { quoted } from "./hook_shim.ts";

/** Everything that stands in a unit or in a crontab. */
export interface Timed {
  /** Names the project among others: lower-case letters, digits and `-`. */
  readonly slug: string;
  readonly root: string;
  /** File with environment variables; it need not be there. */
  readonly environment: string;
  /** Variables that the program itself needs. */
  readonly variables: Readonly<Record<string, string>>;
  /** The program with all its arguments. */
  readonly argv: readonly string[];
}

const MARK = "# Written by Collaudo's `schedule install`";

/** True for a unit that `unitText` or `timerText` wrote. */
export function isOwnUnit(text: string): boolean {
  return text.startsWith(MARK);
}

/** The unit: one look at what is due. */
export function unitText({ root, environment, variables, argv }: Timed): string {
  const set = Object.entries(variables).map(([name, value]) =>
    `Environment=${unitWord(`${name}=${value}`)}\n`
  );
  return `${MARK}; \`schedule uninstall\` takes it away
[Unit]
Description=Collaudo: what is due in ${unitValue(root)}

[Service]
Type=oneshot
WorkingDirectory=${unitValue(root)}
EnvironmentFile=-${unitValue(environment)}
${set.join("")}ExecStart=${argv.map(unitWord).join(" ")}
TimeoutStartSec=infinity
TimeoutStopSec=30
KillMode=mixed
SuccessExitStatus=130
`;
}

/** Its timer: at each time of a job, after one that was missed, and after a start of the machine. */
export function timerText(
  { root }: Timed,
  { jobs, zone }: { readonly jobs: readonly CronFields[]; readonly zone: string },
): string {
  const all = jobs.flatMap((fields) => [fields, ...secondLooks(fields, zone)]);
  const times = [...new Set(all.map((fields) => `OnCalendar=${calendar(fields)} ${zone}\n`))];
  return `${MARK}; \`schedule uninstall\` takes it away
[Unit]
Description=Collaudo: times of the jobs in ${unitValue(root)}

[Timer]
${times.join("")}OnStartupSec=2min
Persistent=true
AccuracySec=1s

[Install]
WantedBy=timers.target
`;
}

/** A time that comes twice is due at its second coming, systemd knows the first: an hour later again. */
function secondLooks(fields: CronFields, zone: string): CronFields[] {
  if (!mayMeetChange(fields, zone)) return [];
  return [{ ...fields, hours: fields.hours.filter((hour) => hour < 4).map((hour) => hour + 1) }];
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** The times of a job as systemd writes them, without the zone. */
export function calendar(fields: CronFields): string {
  const two = (values: readonly number[], whole: number) =>
    values.length === whole ? "*" : values.map((value) => String(value).padStart(2, "0")).join(",");
  const { weekdays, months, days, hours, minutes, seconds } = fields;
  const named = weekdays === null || weekdays.length === 7
    ? ""
    : `${weekdays.map((day) => WEEKDAYS[day]).join(",")} `;
  const date = `*-${two(months, 12)}-${days === null ? "*" : two(days, 31)}`;
  return `${named}${date} ${two(hours, 24)}:${two(minutes, 60)}:${two(seconds, 60)}`;
}

/** A text as a whole value: systemd replaces what follows `%`. */
function unitValue(text: string): string {
  return text.replaceAll("%", "%%");
}

/** A text as one word of a command line: also `$` is replaced, and quotes and backslashes escape. */
function unitWord(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
    .replaceAll("%", "%%").replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/** A crontab with our block of a project in it, in place of an older one. Null: a block has no end. */
export function withBlock(crontab: string, timed: Timed): string | null {
  const rest = withoutBlock(crontab, timed.slug);
  if (rest === null) return null;
  const before = rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`;
  return `${before}${begin(timed.slug)}\n${cronLine(timed)}\n${end(timed.slug)}\n`;
}

/** A crontab without our block of a project; null where the block has no end. */
export function withoutBlock(crontab: string, slug: string): string | null {
  const lines = crontab.split("\n");
  const from = lines.indexOf(begin(slug));
  const to = lines.indexOf(end(slug));
  if (from === -1 && to === -1) return crontab;
  if (from === -1 || to < from) return null;
  return [...lines.slice(0, from), ...lines.slice(to + 1)].join("\n");
}

function begin(slug: string): string {
  return `# >>> ${slug} >>> written by \`schedule install\``;
}

function end(slug: string): string {
  return `# <<< ${slug} <<<`;
}

/** cron ends a command at `%` and knows no zones: often, and `schedule` sees what is due. */
function cronLine({ root, environment, variables, argv }: Timed): string {
  const file = quoted(environment);
  const set = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value)} `);
  const command = [
    `cd ${quoted(root)}`,
    "set -a",
    `{ [ ! -r ${file} ] || . ${file}; }`,
    "set +a",
    `${set.join("")}exec ${argv.map(quoted).join(" ")}`,
  ].join(" && ");
  return `*/15 * * * * ${command.replaceAll("%", "\\%")}`;
}
