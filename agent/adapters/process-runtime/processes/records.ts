/** What the runtime keeps of a container on disk. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import {
  type Claim,
  claimIn,
  type Exit,
  exitIn,
  exitText,
  type FoundState,
  foundState,
  mainIn,
  type ProcessMark,
} from '../../../rules/runtime/container-state.ts';
import type { Place } from '../../containers/places.ts';
import { isAlive, ownMark } from '../../linux/processes.ts';
import { createOnce, jsonIn, textIn } from '../../linux/whole-files.ts';

/** Of a container: `spec.json`. */
export interface ContainerRecord {
  readonly spec: ContainerSpec;
  readonly createdAt: EpochMs;
  readonly logFile: string;
  /** Whether it has mounts and a host name of its own. */
  readonly hasNamespaces: boolean;
}

/** What the files say. */
export interface Found {
  readonly state: FoundState;
  readonly claim?: Claim;
  readonly main?: ProcessMark;
  readonly exit?: Exit;
}

/** `undefined`: there is no such container, or nothing is known of it. */
export const readContainer = ({ folder }: Place): ContainerRecord | undefined =>
  jsonIn<ContainerRecord>(join(folder, 'spec.json'));

/** Reads the marks of a container and asks the machine whether their processes live. */
export const findContainer = ({ folder }: Place, bootId: string): Found => {
  const read = <T>(name: string, parse: (text: string) => T | undefined): T | undefined =>
    parse(textIn(join(folder, name)) ?? '');
  const [claim, main, exit] = [read('claim', claimIn), read('main', mainIn), read('exit', exitIn)];
  const marks = { ...(claim && { claim }), ...(main && { main }), ...(exit && { exit }) };
  return { state: foundState({ ...marks, bootId, isAlive }), ...marks };
};

/** Takes the right to start the container, so that no shim that is still to come starts it; answers whether it was free. */
export const claimForAgent = ({ folder }: Place, bootId: string): boolean => {
  const { pid, startTime } = ownMark();
  return createOnce(join(folder, 'claim'), `${pid} ${startTime} ${bootId}\n`);
};

/** Writes down how the container ended, unless somebody has. */
export const writeExit = ({ folder }: Place, exit: Exit): boolean =>
  createOnce(join(folder, 'exit'), exitText(exit));

/** When the file was written; `undefined` if nothing is in it yet. */
export const writtenAt = ({ folder }: Place, name: 'main' | 'exit'): EpochMs | undefined => {
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat && stat.size > 0 ? Math.floor(stat.mtimeMs) : undefined;
};

/** The folder of its logs, and the name of the newest. */
export const logPlace = ({
  logFile,
}: ContainerRecord): { readonly folder: string; readonly name: string } => ({
  folder: logFile.slice(0, logFile.lastIndexOf('/')),
  name: basename(logFile),
});
