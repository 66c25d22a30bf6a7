/**
 * Which command was typed, and with what exit code does it end? Only the commander tree stands
 * here; each command's code is loaded when it is called, so that `--help` and `--version` are quick.
 * Refuses unknown commands and options with a suggestion; catches what the effects throw, once.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { VERSION } from "./version.ts";

/** Runs one command line; resolves to its exit code (0, 1, 2, 3 or 130) and never throws. */
export async function cli(args: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const program = commandTree(io, (ended) => code = ended);
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    io.terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT.undecided;
  }
}

type Ended = (code: number) => void;

function commandTree(io: Io, ended: Ended): Command {
  const program = new Command("eval");
  program.exitOverride()
    .configureOutput({ writeOut: io.terminal.out, writeErr: io.terminal.err, ...PLAIN })
    .description("Acceptance tests and release gate for agents that act")
    .version(VERSION, "--version", "Print the version")
    .helpOption("--help", "Show help")
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .enablePositionalOptions();
  for (
    const add of [
      addRun,
      addValidate,
      addGrade,
      addRecord,
      addBaseline,
      addSchema,
      addExplain,
      addInit,
      addGate,
      addLedger,
      addHook,
      addCi,
      addSchedule,
      addNotify,
      addPlan,
      addTrend,
    ]
  ) {
    add(program, io, ended);
  }
  for (const command of [program, ...program.commands]) inherit(command, program);
  return program;
}

/** Help is as wide everywhere and without colour: asking the terminal costs more than the help. */
const PLAIN = {
  getOutHelpWidth: () => 80,
  getErrHelpWidth: () => 80,
  getOutHasColors: () => false,
  getErrHasColors: () => false,
};

function inherit(command: Command, program: Command): void {
  command.copyInheritedSettings(program).helpOption("--help", "Show help");
  for (const child of command.commands) if (command !== program) inherit(child, program);
}

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function whole(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) {
    throw new InvalidArgumentError("Expected a whole number from 1.");
  }
  return Number(value);
}

function amount(value: string): number {
  const parsed = Number(value);
  if (!(parsed > 0 && Number.isFinite(parsed))) {
    throw new InvalidArgumentError("Expected an amount above 0.");
  }
  return parsed;
}

function note(value: string, before: string[]): string[] {
  if (!/^[A-Za-z0-9_.-]+=/.test(value)) throw new InvalidArgumentError("Expected key=value.");
  return collect(value, before);
}

function judging(command: Command): Command {
  return command
    .option("--only <what>", "Id, suite, category, task or tag; glob; repeatable", collect, [])
    .option("--gate <file>", "Gate file (default gates/release.yaml)")
    .option("--baseline <name|file>", "Baseline (default the gate's)")
    .option("--out <folder>", "Folder for the report (default reports/runs/<time>-<commit>)")
    .option("--strict", "Exit 1 on warn and not enough evidence too")
    .option("--note <key=value>", "Kept in the report's versions; repeatable", note, [])
    .option("--json", "Print the report as JSON on standard output")
    .option("--wait", "Wait where another run of this project holds the lock");
}

function addRun(program: Command, io: Io, ended: Ended): void {
  const run = program.command("run [paths...]", { isDefault: true })
    .description("Run the scenarios, judge them, decide by the gate (the default command)")
    .addOption(
      new Option("--mode <mode>", "Where the model's answers come from").choices([
        "replay",
        "live",
      ]).default("replay"),
    );
  judging(run)
    .option("--agent <name>", "An agent of collaudo.yaml")
    .option("--recording <name>", "Play this recording wherever a scenario has it")
    .option("--trials <n>", "Runs of each scenario (default 1, live the gate's)", whole)
    .option("--jobs <n>", "Runs at the same time", whole, 1)
    .option("--budget-eur <x>", "Stop before the next run once this much is spent", amount)
    .option("--budget-minutes <x>", "Stop before the next run once so long has gone by", amount)
    .option("--rerun-failed", "Only what was not passed in the newest report")
    .option("--dry-run", "Say what would run, run nothing")
    .action(async (paths: string[], options) => {
      const { runCommand } = await import("./run_command.ts");
      ended(await runCommand(io, paths, options));
    });
}

function addRecord(program: Command, io: Io, ended: Ended): void {
  program.command("record [paths...]")
    .description("Run the scenarios live and keep what passed as recordings, to be replayed")
    .option("--only <what>", "Id, suite, category, task or tag; glob; repeatable", collect, [])
    .option("--stale", "Only those whose recording no longer fits")
    .option("--agent <name>", "An agent of collaudo.yaml")
    .option("--budget-eur <x>", "Stop before the next run once this much is spent", amount)
    .option("--keep-failed <name>", "Keep a run that failed under this name, with what it failed")
    .option("--replace", "Overwrite recordings that were written by hand too")
    .option("--json", "Print what became of each as JSON on standard output")
    .option("--wait", "Wait where another run of this project holds the lock")
    .action(async (paths: string[], options) => {
      const { recordCommand } = await import("./record_command.ts");
      ended(await recordCommand(io, paths, options));
    });
}

function addPlan(program: Command, io: Io, ended: Ended): void {
  program.command("plan [paths...]")
    .description("Say what a live run of so many trials finds, costs and takes; runs nothing")
    .option("--only <what>", "Id, suite, category, task or tag; glob; repeatable", collect, [])
    .option("--budget-eur <x>", "Choose the trials that cost at most this much", amount)
    .option("--budget-minutes <x>", "Choose the trials that take at most so long", amount)
    .option("--json", "Print the plan as JSON on standard output")
    .action(async (paths: string[], options) => {
      const { planCommand } = await import("./plan_command.ts");
      ended(await planCommand(io, paths, options));
    });
}

function addTrend(program: Command, io: Io, ended: Ended): void {
  program.command("trend")
    .description("Show how a figure went over the runs, and how steady each scenario is")
    .option("--metric <name>", "Which figure (default taskSuccess)")
    .option("--task <name>", "Of this type of task alone")
    .option("--json", "Print the runs and scenarios as JSON on standard output")
    .action(async (options) => {
      const { trendCommand } = await import("./trend_command.ts");
      ended(await trendCommand(io, options));
    });
}

function addValidate(program: Command, io: Io, ended: Ended): void {
  program.command("validate [paths...]")
    .description(
      "Check files and expressions; prove that recordings and bad agents do as they must",
    )
    .option("--only <what>", "Id, suite, category, task or tag; glob; repeatable", collect, [])
    .option("--gate <file>", "Gate file (default gates/release.yaml)")
    .option("--json", "Print the problems as JSON on standard output")
    .option("--strength", "Spoil passing runs on purpose; tell which spoilt ones still pass")
    .action(async (paths: string[], options) => {
      const { validateCommand } = await import("./validate_command.ts");
      ended(await validateCommand(io, paths, options));
    });
}

function addGrade(program: Command, io: Io, ended: Ended): void {
  const grade = program.command("grade <runs...>")
    .description("Judge recorded runs (JSONL) without running anything");
  judging(grade).action(async (runs: string[], options) => {
    const { gradeCommand } = await import("./grade_command.ts");
    ended(await gradeCommand(io, runs, options));
  });
}

function addBaseline(program: Command, io: Io, ended: Ended): void {
  const baseline = program.command("baseline").description("Move, show or list baselines");
  baseline.command("accept [report]")
    .description("Take a report (default the newest) as the baseline")
    .option("--reason <text>", "Why this version is the reference from now on; obligatory")
    .option("--name <name>", "Name of the baseline (default the gate's)")
    .option("--gate <file>", "Gate file (default gates/release.yaml)")
    .action(async (report: string | undefined, options) => {
      const { acceptBaseline } = await import("./baseline_command.ts");
      ended(await acceptBaseline(io, report ?? null, options));
    });
  baseline.command("show [name]").description("Show a baseline's figures")
    .option("--json", "Print the baseline as JSON on standard output")
    .action(async (name: string | undefined, options) => {
      const { showBaseline } = await import("./baseline_command.ts");
      ended(await showBaseline(io, name ?? null, options));
    });
  baseline.command("list").description("List the baselines")
    .option("--json", "Print the list as JSON on standard output")
    .action(async (options) => {
      const { listBaselines } = await import("./baseline_command.ts");
      ended(await listBaselines(io, options));
    });
}

function addSchema(program: Command, io: Io, ended: Ended): void {
  program.command("schema").description("Write schemas/*.json from the code")
    .option("--check", "Write nothing; exit 2 where a file is stale")
    .action(async (options) => {
      const { schemaCommand } = await import("./schema_command.ts");
      ended(await schemaCommand(io, options));
    });
}

function addExplain(program: Command, io: Io, ended: Ended): void {
  program.command("explain <id>").description("Say in plain words what a scenario asks")
    .action(async (id: string) => {
      const { explainCommand } = await import("./explain_command.ts");
      ended(await explainCommand(io, id));
    });
}

function addInit(program: Command, io: Io, ended: Ended): void {
  program.command("init [folder]")
    .description("Begin a project in an empty folder; overwrites nothing")
    .addOption(
      new Option("--locale <locale>", "Language of the project (default from LANG)").choices([
        "en",
        "it",
      ]),
    )
    .action(async (folder: string | undefined, options) => {
      const { initCommand } = await import("./init_command.ts");
      ended(await initCommand(io, folder ?? null, options));
    });
}

function addGate(program: Command, io: Io, ended: Ended): void {
  const gate = program.command("gate").description("Compare gates");
  gate.command("diff <a> [b]")
    .description("What b lets through that a stops; files or revisions (default b: this folder)")
    .option("--json", "Print the differences as JSON on standard output")
    .action(async (a: string, b: string | undefined, options) => {
      const { gateDiff } = await import("./gate_command.ts");
      ended(await gateDiff(io, [a, b], options));
    });
}

function addLedger(program: Command, io: Io, ended: Ended): void {
  const ledger = program.command("ledger").description("Write, list or check regressions.md");
  ledger.command("sync").description("Write regressions.md from the commits")
    .action(async () => {
      const { ledgerSync } = await import("./ledger_command.ts");
      ended(await ledgerSync(io));
    });
  ledger.command("list").description("Show its rows as they stand today")
    .option("--open", "Only overrides that still hold")
    .option("--json", "Print the rows as JSON on standard output")
    .action(async (options) => {
      const { ledgerList } = await import("./ledger_command.ts");
      ended(await ledgerList(io, options));
    });
  ledger.command("check").description("Exit 2 where regressions.md is not in step with the commits")
    .action(async () => {
      const { ledgerCheck } = await import("./ledger_command.ts");
      ended(await ledgerCheck(io));
    });
}

function addHook(program: Command, io: Io, ended: Ended): void {
  const hook = program.command("hook").description("Judge each commit before it is made");
  hook.command("install").description("Make git ask at each commit, beside what it asks already")
    .option("--all", "Judge all scenarios at each commit, whatever it changes")
    .action(async (options) => {
      const { hookInstall } = await import("./hook_command.ts");
      ended(await hookInstall(io, options));
    });
  hook.command("uninstall").description("Take the hooks out again")
    .action(async () => {
      const { hookUninstall } = await import("./hook_command.ts");
      ended(await hookUninstall(io));
    });
  hook.command("status").description("Say which hooks are active; exit 2 where one is not")
    .action(async () => {
      const { hookStatus } = await import("./hook_command.ts");
      ended(await hookStatus(io));
    });
}

function addCi(program: Command, io: Io, ended: Ended): void {
  program.command("ci").description(
    "Judge every commit since a base, and the whole suite at the end",
  )
    .requiredOption("--base <ref>", "What the commits go on top of, such as origin/main")
    .option("--out <folder>", "Folder for the report (default reports/ci)")
    .option("--json", "Print the commits and their verdicts as JSON on standard output")
    .action(async (options) => {
      const { ciCommand } = await import("./ci_command.ts");
      ended(await ciCommand(io, options));
    });
}

function addNotify(program: Command, io: Io, ended: Ended): void {
  program.command("notify [report]")
    .description("Send the summary of a report (default the newest), or that none came")
    .option("--dry-run", "Print the message, send nothing")
    .option("--to <where>", "telegram, webhook, command, another chat, or file:PATH")
    .option("--digest", "The last seven days instead of a report")
    .option("--full", "Attach report.md")
    .option("--again", "Send it though it was delivered already")
    .action(async (report: string | undefined, options) => {
      const { notifyCommand } = await import("./notify_command.ts");
      ended(await notifyCommand(io, report ?? null, options));
    });
}

function addSchedule(program: Command, io: Io, ended: Ended): void {
  const schedule = program.command("schedule")
    .description("Start the jobs of collaudo.yaml at their times, in the foreground")
    .option("--once", "Do what is due now, then end: for timers of the system")
    .option("--bot", "Answer the chat of notify.telegram too: /status, /why, /run")
    .action(async (options) => {
      const { scheduleCommand } = await import("./schedule_command.ts");
      ended(await scheduleCommand(io, options));
    });
  schedule.command("list").description("Say when each job comes next, and how it ended last")
    .option("--json", "Print the jobs as JSON on standard output")
    .action(async (options) => {
      const { scheduleList } = await import("./schedule_list.ts");
      ended(await scheduleList(io, options));
    });
  schedule.command("install").description("Let systemd or cron start what is due")
    .action(async () => {
      const { scheduleInstall } = await import("./schedule_install.ts");
      ended(await scheduleInstall(io));
    });
  schedule.command("uninstall").description("Take that out again")
    .action(async () => {
      const { scheduleUninstall } = await import("./schedule_install.ts");
      ended(await scheduleUninstall(io));
    });
}
