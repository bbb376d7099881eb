/** A file with all machines of the fleet, as the provider of machines. */
import { readFile, stat } from 'node:fs/promises';
import { parse } from 'yaml';
import { summarize } from '../../shared/kube/errors/field-error.ts';
import { type CloudProvider, CloudUnavailableError } from '../../shared/ports/outside/cloud-provider.ts';
import { type Instance, instanceKey } from '../../shared/rules/cloud/instance.ts';
import { machineFinder, machinesFrom } from '../../shared/rules/cloud/machine-list.ts';
import { type Loop, startLoop } from '../../shared/serving/machine/loop.ts';

/** Milliseconds between two looks at the file. */
const LOOK_MS = 1_000;

interface Reading {
  readonly version: string;
  readonly machines: readonly Instance[];
  readonly find: ReturnType<typeof machineFinder>;
}

const versionOf = async (path: string): Promise<string> => {
  const { mtimeMs, size, ino } = await stat(path);
  return `${ino} ${size} ${mtimeMs}`;
};

const machinesIn = async (path: string): Promise<readonly Instance[]> => {
  const list = machinesFrom(parse(await readFile(path, 'utf8')));
  if ('faults' in list) throw new Error(`${path} is refused: ${summarize(list.faults)}`);
  return list.machines;
};

/** Reads the file again if it has changed. A file that is missing or refused makes the provider unavailable: it never means that machines are gone. */
const createReader = (path: string) => {
  let last: Reading | undefined;
  return async (): Promise<Reading> => {
    const version = await versionOf(path);
    if (last?.version !== version) {
      const machines = await machinesIn(path);
      last = { version, machines, find: machineFinder(machines) };
    }
    return last;
  };
};

/** What a change of the file may change at a Node. */
const textOf = ({ state, nodeName = '' }: Instance): string => `${state} ${nodeName}`;

/** Keys of the machines that are new, gone, or have another state or Node. */
const changed = (before: readonly Instance[], after: readonly Instance[]): readonly string[] => {
  const texts = new Map(before.map((machine) => [machine.providerId, textOf(machine)]));
  const now = new Map(after.map((machine) => [machine.providerId, textOf(machine)]));
  const all = new Set([...texts.keys(), ...now.keys()]);
  return [...all].filter((id) => texts.get(id) !== now.get(id)).map(instanceKey);
};

export interface MachineFile {
  readonly cloud: CloudProvider;
  /** Tells which machines have changed since the last time, from now on. A file that cannot be read goes to `onError`, once for each version. */
  watch(tell: (instances: readonly string[]) => Promise<void>, onError: (error: unknown) => void): Loop;
}

/** The provider that reads the file at `path`, YAML or JSON. */
export const createMachineFile = (path: string): MachineFile => {
  const read = createReader(path);
  return {
    cloud: {
      instances: async (queries) => {
        const { find } = await read().catch((error: unknown) => {
          throw new CloudUnavailableError('the file with the machines cannot be read', { cause: error });
        });
        return queries.map(({ nodeName, providerId }) => find(nodeName, providerId) ?? 'missing');
      },
    },
    watch: (tell, onError) => {
      let [known, complaint]: [readonly Instance[], string] = [[], ''];
      const look = async (): Promise<void> => {
        const { machines } = await read();
        const news = machines === known ? [] : changed(known, machines);
        if (news.length > 0) await tell(news);
        [known, complaint] = [machines, ''];
      };
      return startLoop({
        everyMs: LOOK_MS,
        firstMs: 0,
        work: look,
        onError: (error) => {
          if (String(error) !== complaint) onError(error);
          complaint = String(error);
        },
      });
    },
  };
};
