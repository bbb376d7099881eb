/** What logind announces, as `busctl monitor` sees it. */
import type { Readable } from 'node:stream';
import { LOGIN_MANAGER, LOGIN_PATH, LOGIN_SERVICE } from './busctl.ts';
import { type Child, startTiedChild } from './child.ts';
import { environmentOf, type LogindSettings } from './settings.ts';

/** Only logind itself: everybody on the machine may send signals that look like its own. */
const ANNOUNCEMENT = `type='signal',sender='${LOGIN_SERVICE}',path='${LOGIN_PATH}',interface='${LOGIN_MANAGER}',member='PrepareForShutdown'`;
/** Another logind has come, or none is there any more. */
const SUCCESSION = `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${LOGIN_SERVICE}'`;

interface Message {
  readonly member?: string;
  readonly payload?: { readonly data?: readonly unknown[] };
}

/** A shutdown begins (`true`) or is cancelled (`false`); `over`: these announcements do not go on. */
type Heard = boolean | 'over' | undefined;

/** Reads one line. What is no announcement is `undefined`. */
const heardIn = (line: string): Heard => {
  try {
    const { member, payload } = JSON.parse(line) as Message;
    if (member === 'NameOwnerChanged') return 'over';
    const [isShuttingDown] = payload?.data ?? [];
    return member === 'PrepareForShutdown' && typeof isShuttingDown === 'boolean'
      ? isShuttingDown
      : undefined;
  } catch {
    return undefined;
  }
};

/** The lines of a stream. What follows the last line break is not one. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The announcements of a monitor until it ends. The stream keeps them while nobody asks. */
export async function* announcementsIn(stream: Readable): AsyncGenerator<boolean> {
  stream.setEncoding('utf8');
  for await (const line of linesOf(stream)) {
    const heard = heardIn(line);
    if (heard === 'over') return;
    if (heard !== undefined) yield heard;
  }
}

/** `busctl monitor` says this when it listens. */
const LISTENS = 'Monitoring';

/** How often a starting program is looked at (ms), and how often at most. */
const LOOK_MS = 20;
const MOST_LOOKS = 250;

/** Starts to listen. Resolves when nothing can be missed any more. */
export const startMonitor = async (
  settings: LogindSettings,
  sleep: (ms: number) => Promise<void>,
): Promise<Child> => {
  const matches = [ANNOUNCEMENT, SUCCESSION].map((match) => `--match=${match}`);
  const args = ['--system', '--json=short', ...matches, 'monitor'];
  const child = startTiedChild('busctl', args, environmentOf(settings));
  for (let looks = 0; looks < MOST_LOOKS && !child.hasEnded(); looks++) {
    if (child.errors().includes(LISTENS)) return child;
    await sleep(LOOK_MS);
  }
  await child.end();
  throw new Error(`busctl monitor: ${child.errors() || 'it does not listen'}`);
};
