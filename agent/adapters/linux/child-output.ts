/** The outputs of a command that a client reads: all that it says is kept until it is read. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

/** After the command has ended, what it left behind may hold its output: that is over when nothing has come for so long (ms). */
const QUIET_MS = 300;

/** What the command says, and where it waits for its reader. */
export interface Output {
  readonly from: Readable;
  readonly to: PassThrough;
}

/** Node throws away what nobody has read of a command that ends, so it is taken from the beginning. */
export const outputOf = (from: Readable): Output => ({ from, to: from.pipe(new PassThrough()) });

const isOpen = ({ to }: Output): boolean => !to.writableEnded && !to.destroyed;

/** While the reader is slow, more may be in the pipe. */
const isQuiet = ({ from }: Output): boolean => from.readableFlowing === true && from.readableLength === 0;

/** Waits as long as the reader takes, so that nothing is lost. */
export const drain = async (outputs: readonly Output[]): Promise<void> => {
  const open = (): readonly Output[] => outputs.filter(isOpen);
  for (let quiet = 0; open().length > 0 && quiet < 2; ) {
    await wait(QUIET_MS / 2);
    quiet = open().every(isQuiet) ? quiet + 1 : 0;
  }
  for (const { from, to } of open()) {
    from.unpipe(to);
    to.end();
    from.destroy();
  }
};

/** What breaks a stream is told by its end. */
export const ignoreErrors = (...streams: readonly (Readable | Writable | null | undefined)[]): void => {
  for (const stream of streams) stream?.on('error', () => {});
};
