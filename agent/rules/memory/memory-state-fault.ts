/** Whether memory that was given away before fits this machine. Source: kubernetes v1.34 memorymanager `validateState`. */
import {
  areSameNodes,
  type MachineMemory,
  type MemoryState,
  sumOf,
  tableOf,
  withBlock,
} from './memory-state.ts';

const FIELDS = ['total', 'systemReserved', 'allocatable'] as const;

/** With what all containers have. Which node of several gives how much may differ. */
const isExpected = (machine: MachineMemory, expected: MachineMemory): boolean => {
  const ids = Object.keys(machine).map(Number);
  if (!areSameNodes(ids, Object.keys(expected).map(Number))) return false;
  return ids.every((id) => {
    const [now, then] = [machine[id], expected[id]];
    if (!now || !then || now.numberOfAssignments !== then.numberOfAssignments) return false;
    const types = Object.keys(now.memoryMap);
    if (!areSameNodes(now.cells, then.cells) || types.length !== Object.keys(then.memoryMap).length)
      return false;
    return types.every(
      (type) =>
        then.memoryMap[type] !== undefined &&
        FIELDS.every((field) => tableOf(machine, id, type)[field] === tableOf(expected, id, type)[field]) &&
        (['free', 'reserved'] as const).every(
          (field) => sumOf(machine, now.cells, type, field) === sumOf(expected, now.cells, type, field),
        ),
    );
  });
};

const blockFault = ({ entries }: MemoryState, fresh: MachineMemory): string | undefined => {
  for (const [pod, containers] of Object.entries(entries))
    for (const [container, blocks] of Object.entries(containers))
      for (const { numaAffinity, type } of blocks) {
        const place = `[memorymanager] (pod: ${pod}, container: ${container}) the memory assignment uses`;
        if (numaAffinity.some((node) => !fresh[node])) return `${place} the NUMA that does not exist`;
        if (numaAffinity.some((node) => !fresh[node]?.memoryMap[type]))
          return `${place} memory resource that does not exist`;
      }
  return undefined;
};

/** The state to begin with: the one that was kept, if it fits. `fresh`: the machine before any container has memory. */
export const startedMemory = (
  kept: MemoryState,
  fresh: MachineMemory,
): MemoryState | { readonly error: string } => {
  const blocks = Object.values(kept.entries).flatMap((containers) => Object.values(containers).flat());
  if (Object.keys(kept.machineState).length === 0)
    return blocks.length === 0
      ? { ...kept, machineState: fresh }
      : { error: '[memorymanager] machine state can not be empty when it has memory assignments' };
  const fault = blockFault(kept, fresh);
  if (fault !== undefined) return { error: fault };
  return isExpected(kept.machineState, blocks.reduce(withBlock, fresh))
    ? kept
    : { error: '[memorymanager] the expected machine state is different from the real one' };
};
