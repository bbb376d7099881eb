/** The file `cpu_manager_state`. Source: kubernetes v1.34 cpumanager/state `checkpoint.go`, `state_checkpoint.go`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { cpuSetText, parseCpuSet } from '../config/cpu-set.ts';
import {
  byName,
  CORRUPTED,
  checksumOf,
  dumpedMap,
  dumpedStruct,
  isObject,
  parsedCheckpoint,
} from '../topology/checksum.ts';
import type { CpuAssignments, CpuState } from './cpu-state.ts';

export const CPU_CHECKPOINT = 'cpu_manager_state';

/** CPUs as text, by uid of the pod and name of the container. */
type Entries = Readonly<Record<string, Readonly<Record<string, string>>>>;

const checksum = (policyName: string, shared: string, entries: Entries): number => {
  const pods = byName(entries).map(([uid, containers]) => [uid, dumpedMap(byName(containers))] as const);
  const dumped = dumpedStruct([
    ['PolicyName', 'string', policyName],
    ['DefaultCPUSet', 'string', shared],
    ['Entries', 'map[string]map[string]string', dumpedMap(pods)],
    ['Checksum', 'checksum.Checksum', '0'],
  ]);
  return checksumOf('state.CPUManagerCheckpoint', dumped);
};

const mapped = <From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> =>
  Object.fromEntries(byName(values).map(([name, value]) => [name, change(value)]));

export const cpuCheckpointText = (policyName: string, { shared, assignments }: CpuState): string => {
  const entries: Entries = mapped(assignments, (containers) => mapped(containers, cpuSetText));
  const defaultCpuSet = cpuSetText(shared);
  return JSON.stringify({
    policyName,
    defaultCpuSet,
    ...(Object.keys(entries).length > 0 && { entries }),
    checksum: checksum(policyName, defaultCpuSet, entries),
  });
};

interface Fault {
  readonly error: string;
}

const isEntries = (value: unknown): value is Entries =>
  isObject(value) &&
  Object.values(value).every(
    (containers) => isObject(containers) && Object.values(containers).every((set) => typeof set === 'string'),
  );

const assignmentsOf = (entries: Entries): { readonly assignments: CpuAssignments } | Fault => {
  const assignments: Record<string, Record<string, readonly number[]>> = {};
  for (const [pod, containers] of Object.entries(entries)) {
    const ofPod: Record<string, readonly number[]> = {};
    for (const [container, text] of Object.entries(containers)) {
      const cpus = parseCpuSet(text);
      if ('error' in cpus)
        return {
          error: `could not parse cpuset ${quote(text)} for container ${quote(container)} in pod ${quote(pod)}: ${cpus.error}`,
        };
      ofPod[container] = cpus;
    }
    assignments[pod] = ofPod;
  }
  return { assignments };
};

/** The state that a file keeps for this policy, or why it does not count. */
export const readCpuCheckpoint = (text: string, policyName: string): CpuState | Fault => {
  const parsed = parsedCheckpoint(text);
  if ('error' in parsed) return parsed;
  const { policyName: keptPolicy, defaultCpuSet: shared = '', entries = {}, checksum: sum = 0 } = parsed.kept;
  if (typeof keptPolicy !== 'string' || typeof shared !== 'string' || !isEntries(entries))
    return { error: CORRUPTED };
  if (sum !== 0 && sum !== checksum(keptPolicy, shared, entries)) return { error: CORRUPTED };
  if (keptPolicy !== policyName)
    return {
      error: `configured policy ${quote(policyName)} differs from state checkpoint policy ${quote(keptPolicy)}`,
    };
  const cpus = parseCpuSet(shared);
  if ('error' in cpus) return { error: `could not parse default cpu set ${quote(shared)}: ${cpus.error}` };
  const read = assignmentsOf(entries);
  return 'error' in read ? read : { shared: cpus, assignments: read.assignments };
};
