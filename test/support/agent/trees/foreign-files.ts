/** Files of the machine that no pod may change, beside a folder that a pod may write to. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who is nobody on the machine. */
export const ENEMY = 1500;

const COUNT = 20;

export interface HostilePlace {
  /** The folder of all. */
  readonly root: string;
  /** A folder of root with 20 files, each with its owner and mode. */
  readonly foreign: string;
  /** A folder that the enemy owns. */
  readonly volume: string;
  /** Name, owner, group, mode and text of each foreign file. */
  facts(): readonly string[];
  /** Makes them as they were at the start. */
  restore(): void;
}

export const hostilePlace = (): HostilePlace => {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-trees-'));
  chmodSync(root, 0o711);
  const [foreign, volume] = [join(root, 'foreign'), join(root, 'pods', 'volume')];
  const restore = (): void => {
    mkdirSync(foreign, { recursive: true, mode: 0o755 });
    for (let index = 0; index < COUNT; index += 1) {
      const path = join(foreign, `file${index}`);
      writeFileSync(path, 'precious');
      chownSync(path, 0, 0);
      chmodSync(path, 0o644);
    }
  };
  restore();
  mkdirSync(volume, { recursive: true });
  chownSync(volume, ENEMY, ENEMY);
  return {
    root,
    foreign,
    volume,
    restore,
    facts: () =>
      readdirSync(foreign).map((name) => {
        const path = join(foreign, name);
        const { uid, gid, mode } = statSync(path);
        return [name, uid, gid, mode.toString(8), readFileSync(path, 'utf8')].join(' ');
      }),
  };
};
