/**
 * `notify [REPORT]`: one message about the newest report, or that no run came, or with `--digest`
 * about the week, to each channel of the configuration, or to the one that `--to` names. The same
 * news goes to a place once; what could not be delivered stays in the outbox, is taken up again, and
 * is told of in the next message. Exits 0 delivered (now or before), 2 where nothing can be sent, 3
 * where it was not delivered, 130 interrupted.
 */
import { EXIT } from "../model/exit.ts";
import { plainMessage } from "../report/split_message.ts";
import {
  type Channel,
  type ChannelName,
  CHANNELS,
  CHAT,
  configured,
  openChannel,
  telegramChannel,
} from "./channels.ts";
import { attachments, messageText, speechOf } from "./compose_message.ts";
import { type News, newsOf, newsOfToday } from "./morning.ts";
import { readOutbox } from "./outbox.ts";
import { openMessages, sendNews } from "./send_news.ts";
import { join, openSession, refuse, type Session } from "./session.ts";

/** The options of `notify`, as commander gives them. */
export interface NotifyOptions {
  readonly dryRun?: boolean;
  /** A channel, another chat than the configured one, or `file:PATH`. */
  readonly to?: string;
  /** Attach `report.md`. */
  readonly full?: boolean;
  /** Send what was delivered already once more. */
  readonly again?: boolean;
  /** The week instead of a report. */
  readonly digest?: boolean;
}

/** Where a message goes. */
type Target =
  | { readonly kind: "channel"; readonly name: ChannelName }
  | { readonly kind: "chat"; readonly chat: string }
  | { readonly kind: "file"; readonly path: string };

/** Runs the command; resolves to its exit code. */
export async function notifyCommand(
  io: Session["io"],
  path: string | null,
  options: NotifyOptions,
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  if (path !== null && options.digest === true) {
    return refuse(io, "A digest is about a week, not about a report", "leave out one of the two");
  }
  const targets = targetsOf(session, options.to);
  if (typeof targets === "number") return targets;
  const [file] = targets.flatMap((each) => each.kind === "file" ? [each.path] : []);
  if (options.dryRun === true || file !== undefined) {
    const found = await newsFor(session, path, options);
    if (found === null) return EXIT.usage;
    return await preview(session, found, { options, targets, file: file ?? null });
  }
  return await notify(session, path, { options, targets });
}

/** The places to send to; an exit code where there is none, or no such place. */
function targetsOf(session: Session, to: string | undefined): Target[] | number {
  const { io } = session;
  if (to === undefined) return configured(session).map((name) => ({ kind: "channel", name }));
  const name = CHANNELS.find((each) => each === to);
  if (name !== undefined) return [{ kind: "channel", name }];
  if (CHAT.test(to)) return [{ kind: "chat", chat: to }];
  if (to.startsWith("file:") && to.length > "file:".length) {
    return [{ kind: "file", path: to.slice("file:".length) }];
  }
  return refuse(
    io,
    `Nothing can be sent to "${to}"`,
    `write one of ${CHANNELS.join(", ")}, the number of a chat, or file:PATH`,
  );
}

/** Null where the report that was named cannot be used. */
async function newsFor(
  session: Session,
  path: string | null,
  options: NotifyOptions,
): Promise<News | null> {
  if (options.digest === true) {
    const { newsOfWeek } = await import("./week.ts");
    return await newsOfWeek(session);
  }
  if (path === null) return await newsOfToday(session);
  const named = join(session.io.cwd, path);
  const stat = await session.io.files.stat(named);
  return await newsOf(session, stat?.kind === "folder" ? `${named}/report.json` : named);
}

interface Asked {
  readonly options: NotifyOptions;
  readonly targets: readonly Target[];
}

/** Prints what would be sent, or writes it to a file; asks for no secret, sends nothing. */
async function preview(
  session: Session,
  found: News,
  { options, targets, file }: Asked & { readonly file: string | null },
): Promise<number> {
  const { io, project } = session;
  const { words } = speechOf(session);
  const { telegram } = project.config.notify;
  const [named] = targets.flatMap((each) => each.kind === "chat" ? [each.chat] : []);
  const chat = named ?? (telegram === undefined ? undefined : io.env(telegram.chat.env)?.trim());
  const lost = chat === undefined || file !== null
    ? []
    : openMessages(await readOutbox(session), `chat ${chat}`, null);
  const text = session.masker.mask(await messageText(session, found, lost));
  if (file !== null) {
    const shown = file.endsWith(".html") ? text : plainMessage(text);
    await io.files.writeText(join(io.cwd, file), `${shown}\n`);
    io.terminal.out(`${words.cli.written(file)}\n`);
    return EXIT.ok;
  }
  io.terminal.out(`${text}\n`);
  for (const part of await attachments(session, found, options.full === true)) {
    io.terminal.err(`${words.cli.attached(part.name ?? part.kind)}\n`);
  }
  return EXIT.ok;
}

/** Sends to each place; one that is not to be reached keeps no other from its message. */
async function notify(
  session: Session,
  path: string | null,
  { options, targets }: Asked,
): Promise<number> {
  const opened = targets.map((target) => openTarget(session, target));
  const channels = opened.filter((each) => typeof each !== "number");
  if (targets.length === 0) {
    return refuse(
      session.io,
      "No channel to notify",
      "add notify.telegram with `token` and `chat` to collaudo.yaml, or webhook or command",
    );
  }
  const codes = opened.filter((each) => typeof each === "number");
  const found = channels.length === 0 ? null : await newsFor(session, path, options);
  if (found === null) return EXIT.usage;
  for (const channel of channels) {
    const sending = { channel, full: options.full === true, again: options.again === true };
    codes.push(await sendNews(session, found, sending));
  }
  const worst = [EXIT.interrupted, EXIT.undecided, EXIT.usage];
  return worst.find((code) => codes.includes(code)) ?? EXIT.ok;
}

function openTarget(session: Session, target: Target): Channel | number {
  if (target.kind === "channel") return openChannel(session, target.name);
  return telegramChannel(session, target.kind === "chat" ? target.chat : null);
}
