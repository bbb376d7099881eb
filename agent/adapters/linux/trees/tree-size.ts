/**
 * Measures what pods store. `du` walks by descriptors, whatever the depth; it counts a file with several names once, and nothing that is
 * mounted into a folder.
 */
import type { FolderSize, TreeSizes } from '../../../rules/stats/pod-storage.ts';
import { type ChildEnd, runBounded } from './bounded-child.ts';

const ONE_MINUTE_MS = 60_000;
const MOST_OUTPUT = 2 ** 20;

/** Files that go away meanwhile do not count. All else that `du` could not read is something that was not measured. */
const GONE = 'No such file or directory';

/** Hears the lines of an error stream; remembers no more than their ends. */
const createErrorLines = () => {
  let [end, hasOther] = ['', false];
  const close = (): void => {
    hasOther ||= end !== '' && !end.endsWith(GONE);
    end = '';
  };
  return {
    add: (chunk: Buffer): void => {
      const [first = '', ...more] = chunk.toString('latin1').split('\n');
      end = `${end}${first}`.slice(-GONE.length);
      for (const line of more) {
        close();
        end = line.slice(-GONE.length);
      }
    },
    hasOther: (): boolean => {
      close();
      return hasOther;
    },
  };
};

/** How one run of `du` ended. */
interface Run {
  readonly end: ChildEnd;
  /** What each folder has; one that is not there has none. */
  readonly amounts: ReadonlyMap<string, number>;
  readonly isPartial: boolean;
}

const amountsIn = (output: Buffer): ReadonlyMap<string, number> =>
  new Map(
    output
      .toString()
      .split('\0')
      .flatMap((record) => {
        const tab = record.indexOf('\t');
        return tab > 0 ? [[record.slice(tab + 1), Number(record.slice(0, tab))] as const] : [];
      }),
  );

const du = async (unit: '-B1' | '--inodes', folders: readonly string[], timeoutMs: number): Promise<Run> => {
  const lines = createErrorLines();
  const args = ['-n', '19', 'du', '-0sx', unit, '--', ...folders];
  const end = await runBounded('nice', args, { timeoutMs, mostOutput: MOST_OUTPUT, onError: lines.add });
  return { end, amounts: amountsIn(end.output), isPartial: lines.hasOther() };
};

/** Whether the tree is to blame: it took too long, could not be read as a whole, or had the program killed for its memory. */
const isHostile = ({ end, amounts, isPartial }: Run): boolean => {
  if (end.startFault !== undefined) return false;
  return end.isTimedOut || end.code === undefined || (isPartial && amounts.size > 0);
};

/** Whether the program did not do its work: it is not there, or has other options. */
const hasFailed = ({ end, amounts, isPartial }: Run): boolean =>
  end.startFault !== undefined || (isPartial && amounts.size === 0);

/** What the folders of one pod take on their disk, as long as it takes at most. Never rejects. */
export const treeSizes = async (
  folders: readonly string[],
  timeoutMs = ONE_MINUTE_MS,
): Promise<TreeSizes> => {
  if (folders.length === 0) return { is: 'measured', sizes: new Map() };
  const runs = await Promise.all([du('-B1', folders, timeoutMs), du('--inodes', folders, timeoutMs)]);
  const [blocks, inodes] = runs;
  if (runs.some(isHostile)) return { is: 'unmeasurable' };
  const failed = runs.find(hasFailed);
  if (failed) return { is: 'failed', fault: failed.end.startFault ?? failed.end.errorText };
  const sizes = new Map<string, FolderSize>();
  for (const [folder, bytes] of blocks.amounts) {
    const count = inodes.amounts.get(folder);
    if (count !== undefined) sizes.set(folder, { bytes, inodes: count });
  }
  return { is: 'measured', sizes };
};
